import { formatCount, formatNumber, formatTokens } from "../../render/format-values.js";
import { neutralize } from "../../render/safe-text.js";
import type { EditPreview } from "../../server/api/edit.js";
import type { ExportPreview } from "../../server/api/export.js";
import { SameCommand } from "../shell/copy.js";

/** What is removed, what is changed, and the size before and after. */
export function EditReport({ preview }: { readonly preview: EditPreview }) {
  const { kept, removed, removedBy, changedBy, savedTokens, tokensBefore, tokensAfter } = preview;
  const { notes, problems, redaction } = preview;
  const [before, after] = [formatTokens(tokensBefore), formatTokens(tokensAfter)];
  if (hasNothingToRepair(preview)) return <p class="report">No problems found: nothing to repair.</p>;
  return (
    <div class="report">
      <Meter before={tokensBefore} after={tokensAfter} />
      <p>
        <strong>{describeDifference(tokensBefore, tokensAfter)}</strong>
        {before === after ? "" : `: from ${before} to ${after}`} (estimates)
      </p>
      <p>{describeRemoved(removed, kept)}</p>
      <Reasons title="Removed" counts={removedBy} savedTokens={savedTokens} />
      <Reasons title="Changed" counts={changedBy} savedTokens={without(savedTokens, removedBy)} />
      <Added tokens={without(without(savedTokens, removedBy), changedBy)} />
      {redaction ? <Redaction report={redaction} /> : null}
      {problems?.map(({ code, found, left }) => (
        <p key={code}>
          {code}: {found}
          {left > 0 ? `, ${left} left` : ""}
        </p>
      ))}
      {notes.map((note) => (
        <p key={note} class="quiet">
          {neutralize(note)}
        </p>
      ))}
      <SameCommand command={preview.commandLine} />
    </div>
  );
}

/** `repair` found nothing that stops Claude Code from resuming. */
export function hasNothingToRepair({ problems }: EditPreview): boolean {
  return problems?.length === 0;
}

/** `5 of 71 records removed`. */
function describeRemoved(removed: number, kept: number): string {
  if (removed === 0) return `No records removed (${formatCount(kept, "record")})`;
  return `${formatNumber(removed)} of ${formatCount(removed + kept, "record")} removed`;
}

function describeDifference(before: number, after: number): string {
  if (before === after) return `Same size: about ${formatTokens(after)} tokens`;
  return `About ${formatTokens(Math.abs(before - after))} ${after < before ? "fewer" : "more"} tokens`;
}

/** A bar of the tokens that remain. */
function Meter({ before, after }: { readonly before: number; readonly after: number }) {
  return (
    <svg class="meter" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      <rect class="meter-gone" width={100} height={4} />
      <rect class="series-0" width={before === 0 ? 100 : Math.min(100, (after / before) * 100)} height={4} />
    </svg>
  );
}

interface ReasonsProps {
  readonly title: string;
  readonly counts: EditPreview["removedBy"];
  readonly savedTokens: EditPreview["savedTokens"];
}

function Reasons({ title, counts, savedTokens }: ReasonsProps) {
  const reasons = Object.entries(counts);
  if (reasons.length === 0) return null;
  return (
    <>
      <p class="quiet">{title}</p>
      <dl class="reasons">
        {reasons.map(([why, count]) => (
          <div key={why}>
            <dt>{neutralize(why)}</dt>
            <dd>{count}</dd>
            {savedTokens[why] ? <dd class="quiet">{describeSaved(savedTokens[why])}</dd> : null}
          </div>
        ))}
      </dl>
    </>
  );
}

function describeSaved(tokens: number): string {
  return tokens > 0 ? `${formatTokens(tokens)} tokens` : `${formatTokens(-tokens)} tokens more`;
}

/** Reasons that were told already, with what they save. */
function without<Value>(values: Readonly<Record<string, Value>>, told: object): Record<string, Value> {
  return Object.fromEntries(Object.entries(values).filter(([reason]) => !Object.hasOwn(told, reason)));
}

/** What takes tokens without a record of the source. */
function Added({ tokens }: { readonly tokens: EditPreview["savedTokens"] }) {
  return Object.entries(tokens).map(([what, saved]) => (
    <p key={what} class="quiet">
      Added: {neutralize(what)}, {describeSaved(saved)}
    </p>
  ));
}

/** What was redacted; null: redaction is off. */
export function Redaction({ report }: Pick<ExportPreview, "report">) {
  if (report === null)
    return <p class="warned">Not redacted: the file will contain any keys and tokens in this session.</p>;
  if (report.total === 0) return <p>No secrets found.</p>;
  return (
    <>
      <p>{formatCount(report.secrets, "secret")} redacted:</p>
      <dl class="reasons">
        {Object.entries(report.byKind).map(([kind, count]) => (
          <div key={kind}>
            <dt>{kind}</dt>
            <dd>{count}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
