import fc from "fast-check";
import { readJudgedCommands } from "./commands-judged.js";
import { randomCommand } from "./random-command.js";

/** What the page says of deny rules, without programs of toolchains: those may do anything. */
const lines = readJudgedCommands()
  .filter(({ deny, command }) => deny.length > 0 && command.length < 200)
  .map(({ command }) => command);
const words = [...new Set(lines.flatMap((line) => line.split(/[ \n]+/)))].filter((word) => word !== "");

const FILES =
  ".env ./.env list f src src/a.ts lib lib/b.ts . .. ../x x y l src/l src/up ~ ~/x ~+/.env ~/project/.env * .e* .en? l* -* odd/* [.]env {.env,x} $x $PWD/.env $HOME/project/.env <(cat) $(echo .env) \"$(cat list)\" /proc/self/cwd/.env HEAD:.env .git/config ../project ../project/.env 'a b' -- - /dev/null".split(
    / (?![^(]*\))/,
  );
const PROGRAMS =
  "cat head tail grep sed awk sort uniq cut tr wc diff find ls cp mv ln rm mkdir touch tee chmod truncate dd tar git git git git xargs env timeout nice bash eval read printf test cd tree xxd base64 od stat date file jq paste comm tac rev nl cksum install split gzip zip curl basename readlink".split(
    " ",
  );
const GIT =
  "log show diff status add commit checkout switch restore reset stash rm mv clean merge rebase cherry-pick revert branch tag worktree clone init for-each-ref ls-files ls-tree cat-file grep blame archive config push fetch pull apply reflog shortlog rev-parse".split(
    " ",
  );
const OPTIONS =
  "-a -A -c -C -d -e -f -F -i -l -m -n -o -O -p -P -q -r -R -s -S -t -u -v -w -x -z -0 -1 -rf -la -qx -am -aq -lO -fd -hard --hard --stat --oneline --all --output=list --output list -olist -exec -delete -I{} -n1 --format=%(raw) --format=%s --name-only -b new -m x HEAD HEAD~1 main rm 'rm f' 1p s/a/b/ 'r .env' 'w list' '{print}' 1 +x 755 if=.env of=list czf xzf cf tf x.tar {} + \\;".split(
    " ",
  );

const word = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...FILES) },
  { weight: 4, arbitrary: fc.constantFrom(...OPTIONS) },
  { weight: 1, arbitrary: fc.constantFrom(...words) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom(...OPTIONS), fc.constantFrom(...FILES)).map((both) => both.join("")),
  },
);
const plain = fc.constantFrom("src/a.ts", "lib/b.ts", "src", "lib", "x", "y", "l", "f", ".", "src/l", "*.json");
const program = fc
  .constantFrom(...PROGRAMS)
  .chain((name) => (name === "git" ? fc.constantFrom(...GIT).map((sub) => `git ${sub}`) : fc.constant(name)));
const simple = fc.oneof(
  fc.tuple(program, fc.array(word, { maxLength: 4 })).map(([name, rest]) => [name, ...rest].join(" ")),
  fc
    .tuple(program, fc.array(fc.constantFrom(...OPTIONS), { maxLength: 2 }), fc.array(plain, { maxLength: 3 }))
    .map(([name, options, rest]) => [name, ...options, ...rest].join(" ")),
);
const file = fc.constantFrom(...FILES);
const TEMPLATES: readonly ((a: string, b: string, one: string, two: string) => string)[] = [
  (_, __, one) => one,
  (a, b, one) => `ln -s ${a} ${b} && ${one}`,
  (a, b) => `mv ${a} ${b}; cat ${b}`,
  (a, b, one) => `cp -r ${a} ${b} && ${one}`,
  (a, _, one) => `cd ${a} && ${one}`,
  (a, _, one) => `${one} > ${a}`,
  (a, _, one) => `${one} < ${a}`,
  (a, b, one) => `echo ${a} ${b} | xargs ${one}`,
  (a, _, one) => `find ${a} -name '*' -exec ${one} {} +`,
  (_, __, one) => `bash -c '${one.replaceAll("'", "")}'`,
  (_, __, one) => `eval "${one}"`,
  (_, __, one) => `timeout 5 ${one}`,
  (a, _, one) => `x=${a}; ${one}`,
  (a, _, one) => `HOME=${a}; ${one}`,
  (a, _, one) => `CDPATH=${a} ${one}`,
  (a, _, one) => `for x in ${a}; do ${one}; done`,
  (a, _, one) => `while read x; do ${one}; done < ${a}`,
  (_, __, one) => `echo "$(${one})"`,
  (_, __, one, two) => `${one} | ${two}`,
  (_, __, one, two) => `${one}; ${two}`,
  (_, __, one, two) => `${one} && ${two}`,
  (a, _, one) => `f() { ${one}; }; f ${a}`,
];
const composed = fc
  .tuple(fc.constantFrom(...TEMPLATES), file, file, simple, simple)
  .map(([template, a, b, one, two]) => template(a, b, one, two));

/** What runs programs of toolchains or of the project, waits, or needs another host, is not run. */
const OMITTED =
  /\b(?:npm|npx|node|python\d?|make|pytest|perl|ruby|php|gh|cargo|go|pip|yarn|pnpm|poetry|gradlew?|vitest|tsc|sleep|watch|ssh|http|https|prettier|eslint|java|lua|bun|deno)\b|\.\/|-f\b.*tail|tail.*-\w*[fF]|^\s*(?:p?kill|killall)/;

/** Lines that come one after the other in the same project. */
export const deniedLines: fc.Arbitrary<readonly string[]> = fc.array(
  fc
    .oneof(
      { weight: 6, arbitrary: composed },
      { weight: 1, arbitrary: fc.constantFrom(...lines) },
      { weight: 1, arbitrary: randomCommand },
    )
    .filter((line) => !OMITTED.test(line)),
  { minLength: 1, maxLength: 3 },
);
