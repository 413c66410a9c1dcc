import { formatCost } from "../../render/format-values.js";
import { neutralize } from "../../render/safe-text.js";
import type { BudgetsAnswer } from "../../server/api/live.js";
import { useAnswer } from "../api.js";
import { useServerEvents } from "../server-events.js";

type Budget = BudgetsAnswer["budgets"][number];

/** What is spent of each budget; nothing for those who have none. */
export function Budgets() {
  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const { answer, reload } = useAnswer<BudgetsAnswer>(`/api/budgets?${new URLSearchParams({ timezone })}`);
  useServerEvents((event) => {
    if (event.kind === "index" && event.index.state === "ready") reload();
  });
  if (!answer || answer.budgets.length === 0) return null;
  return (
    <section aria-label="Budgets">
      <ul class="budgets">
        {answer.budgets.map((budget) => (
          <BudgetRow key={budget.budget} budget={budget} />
        ))}
      </ul>
    </section>
  );
}

function BudgetRow({ budget }: { readonly budget: Budget }) {
  const { share, spentUsd, leftUsd, hard, state, warnAt, unpricedModels } = budget;
  const name = neutralize(budget.budget);
  const isKnown = unpricedModels.length === 0;
  return (
    <li class={`is-${state}`} title={hard ? "Stops Claude Code when it is spent" : "Warns when it is spent"}>
      <span class="name">{name}</span>
      <meter min={0} max={1} high={warnAt} value={Math.min(1, share)} aria-label={`Spent of ${name}`} />
      <span>
        {isKnown ? "" : "at least "}
        {formatCost(spentUsd)} spent, {state === "reached" ? "nothing left" : `${formatCost(leftUsd)} left`}
      </span>
      {isKnown ? null : <span class="quiet">without {neutralize(unpricedModels.join(", "))}</span>}
    </li>
  );
}
