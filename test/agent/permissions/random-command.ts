import fc from "fast-check";
import { READERS } from "../../../src/agent/permissions/command/readers.js";
import { readJudgedCommands } from "./commands-judged.js";

const judged = readJudgedCommands();
/** Everything that the page of judged commands is made of. */
const lines = judged.map(({ command }) => command);
const freeLines = judged.flatMap(({ verdict, command }) =>
  verdict === "free" && !/[\n<]|tail -f|sleep/.test(command) ? command : [],
);
const words = [...new Set(lines.flatMap((line) => line.split(/[ \n]+/)))].filter((word) => word !== "");
const starts = lines.map((line) => line.split(/[ \n]+/));
const programs = [
  ...new Set([
    ...READERS.keys(),
    "find",
    "test",
    "[",
    "git",
    "git",
    "git",
    "cd",
    "find",
    "grep",
    "sed",
    "sort",
    "awk",
    "xargs",
    "timeout",
  ]),
];
const paths =
  'src lib src/a.ts lib/b.ts list package.json . ./src inner inner/b.ts .env hard folder src/link.txt ../outside/secret /etc/hostname ~ lib/* *.json src/* * odd/* {src,lib} - -- \'docs/read me.md\' naïve.txt $HOME /proc/self/environ folder/inside folder/../secret $f "$f" $x "$x" $PWD "$PWD/src" $PWD/../outside/secret {src,lib}/* {list,.env} lib/{b,c}.ts $(pwd) "$(ls)" $(ls) <(ls) "$(cat list)"'.split(
    " ",
  );

/** Words that the page uses with this program, and options of its entry in the table. */
function wordsWith(program: string): readonly string[] {
  const used = starts.filter((line) => line.includes(program)).flatMap((line) => line.slice(line.indexOf(program) + 1));
  const { flags = "", long = "", values = {}, glued = {} } = READERS.get(program) ?? {};
  const named = [...long.split(" "), ...Object.values({ ...values, ...glued }).flatMap((names) => names.split(" "))];
  const options = [...flags, ...named.filter((name) => name !== "")].map((name) =>
    name.length > 1 ? `--${name}` : `-${name}`,
  );
  return [...used, ...options, ...options, "-x", "2", "foo"];
}

const word = (program: string) =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...wordsWith(program)) },
    { weight: 4, arbitrary: fc.constantFrom(...paths) },
    { weight: 1, arbitrary: fc.constantFrom(...words) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom(...wordsWith(program)), fc.constantFrom(...paths))
        .map(([a, b]) => `${a}=${b}`),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.constantFrom(...wordsWith(program)), fc.constantFrom(...paths)).map(([a, b]) => a + b),
    },
  );

const composed = fc
  .constantFrom(...programs)
  .chain((program) => fc.array(word(program), { maxLength: 5 }).map((rest) => [program, ...rest].join(" ")));

const taken = fc.constantFrom(...lines);

/** Small changes: an abbreviation, other quotes, glued or split words, a special character. */
const mutated = fc
  .tuple(
    fc.oneof(taken, composed),
    fc.nat(),
    fc.constantFrom(..."'\"\\ \t\n;|&<>(){}[]*?$`~#!=,-/._%@é\u00a0"),
    fc.nat(7),
  )
  .map(([line, seed, sign, kind]) => {
    const at = seed % (line.length + 1);
    const parts = line.split(" ");
    const chosen = seed % parts.length;
    const replaced = (text: string) => parts.map((part, index) => (index === chosen ? text : part)).join(" ");
    const part = parts[chosen] ?? "";
    if (kind === 0) return line.slice(0, at) + sign + line.slice(at);
    if (kind === 1) return line.slice(0, at) + line.slice(at + 1);
    if (kind === 2) return replaced(part.slice(0, Math.max(3, part.length - 1 - (seed % 5))));
    if (kind === 3) return replaced(`'${part}'`);
    if (kind === 4) return replaced(`"${part}"`);
    if (kind === 5) return replaced(`\\${part}`);
    if (kind === 6) return line.replace(/ (?=\S+$)/, "");
    return replaced(`${part} ${part}`);
  });

const one = fc.oneof(
  { weight: 3, arbitrary: composed },
  { weight: 1, arbitrary: taken },
  { weight: 2, arbitrary: mutated },
);

const value = fc.constantFrom(...paths, "a", "'a b'", "-delete", "'*'", "..", "/", "'$(cat list)'");

const awkPatterns = ["", "", "NR>1", "/a/", "/a/,/b/", "BEGIN", "END", "!x++", "$1 ~ /[a-z]/", "x / 2", "length > 2"];
const awkStatements =
  'print $1;print > "out";print($1) > "out";x = $1 > 2;getline x;getline x < "/etc/hostname";"id" | getline;system("touch y");print ENVIRON["SECRET"];printf "%s|%5d\\n", $1, NF;printf $1;gsub(/,/, "");n=split($0, a, "/");for (k in a) print k, a[k];for (i=1;i<=NF;i++) print $i;if ($1 ~ /x/) print; else next;x = y / 2;print (1 > 2);a[$1]++;print a[1] | "cat";print FILENAME": "FNR;ARGV[1]="/etc/hostname";y = x ? /a/ : 1;close("out")'.split(
    ";",
  );

/** Programs for awk: harmless and other statements, with a character more or less. */
const awkLine = fc
  .tuple(
    fc.array(fc.tuple(fc.constantFrom(...awkPatterns), fc.array(fc.constantFrom(...awkStatements), { maxLength: 2 })), {
      minLength: 1,
      maxLength: 3,
    }),
    fc.constantFrom("", "-F, ", "-F: ", "-v n=1 ", "-v OFMT=%n ", "-f list "),
    fc.constantFrom(...paths),
    fc.nat(400),
    fc.constantFrom(...'\n;|>/{}()[]"\\ #@$'),
  )
  .map(([items, options, path, at, sign]) => {
    const program = items.map(([pattern, parts]) => `${pattern} {${parts.join("; ")}}`).join(" ");
    const changed = at < program.length ? program.slice(0, at) + sign + program.slice(at + (at % 2)) : program;
    return `awk ${options}'${changed.replaceAll("'", "")}' ${path}`;
  });

/** A command that is often free. */
const likely = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...freeLines) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom("cat", "ls", "wc -l", "echo", "grep foo"), value)
      .map((parts) => parts.join(" ")),
  },
  { weight: 1, arbitrary: one },
);

/** Programs that get names of files. */
const naming = fc.constantFrom(
  ..."cat;wc -l;grep -n foo;grep foo;grep -r foo;head -5;sed -n 1p;ls -ld;ls -R;sort;uniq;xxd;xxd -l 4;tail -n 1;stat -c %s;jq .;diff list;file;tac;cmp list;du -s;rg foo;basename;echo;printf %s;rm;tee;sh -c;find;sort -o;sed -i 1p;strings".split(
    ";",
  ),
);
/** Commands that print names, good ones and others. */
const names = fc.oneof(
  fc.constantFrom(
    "find .",
    "find . -print0",
    "find odd",
    "ls -a",
    "ls -a odd",
    "git ls-files",
    "git ls-files -z",
    "rg -l .",
    "grep -rl x",
  ),
  fc.tuple(value, value, value).map((parts) => `printf '%s\\n' ${parts.join(" ")}`),
  fc.tuple(value, value, value).map((parts) => `printf '%s\\0' ${parts.join(" ")}`),
);
const nameReader = fc.oneof(
  fc
    .tuple(names, fc.constantFrom("", "-0", "-r", "-n 1", "-0 -n 2", "-d '\\n'", "-I{}", "-0 -I {}", "-0 -P 2"), naming)
    .map(([left, options, program]) => `${left} | xargs ${options} ${program}${/I/.test(options) ? " {}" : ""}`),
  fc
    .tuple(
      fc.constantFrom(".", "odd", "src lib", "folder", "inner/", "..", "/"),
      fc.constantFrom("", "! ", "-type f ", "-name 'x*' -o "),
      naming,
      fc.constantFrom("{} +", "{} \\;", "{} \\; -print", "{} {} \\;"),
    )
    .map(([start, test, program, end]) => `find ${start} ${test}-exec ${program} ${end}`),
  fc
    .tuple(
      fc.constantFrom("grep -R foo", "grep -Rn x", "diff -r", "diff -rq lib", "timeout 5 grep -r x", "LC_ALL=C ls"),
      value,
    )
    .map((parts) => parts.join(" ")),
);

/** Loops, conditions, variables and outputs around commands. */
const shaped = fc
  .tuple(likely, likely, likely, value, value, fc.nat(11))
  .map(([first, second, third, left, right, kind]) => {
    if (kind === 0) return `for f in ${left} ${right}; do ${first}; done`;
    if (kind === 1) return `for f in ${left} ${right}; do ${first} $f; ${second} "$f"; done | ${third}`;
    if (kind === 2) return `if ${first}; then ${second}; else ${third}; fi`;
    if (kind === 3) return `if cd ${left}; then ${second}; fi; ${third}`;
    if (kind === 4) return `x=${left}; ${first} $x; ${second} "$x"`;
    if (kind === 5) return `x=$(${first}); echo "$x" $x; ${second}`;
    if (kind === 6) return `echo "$(${first})" $(${second})`;
    if (kind === 7) return `cat <(${first}) ${left}`;
    if (kind === 8) return `[ -n "$(${first})" ] && ${second} || ${third}`;
    if (kind === 9) return `[[ -f ${left} ]] && ${first} ${right}`;
    if (kind === 10) return `f=${left} && x=${right}; for y in $f $x; do ${first} $y; done`;
    return `for f in {${left},${right}}; do if [ -d "$f" ]; then cd $f; fi; ${first}; done; ${second}`;
  });

/** A command line of one to three commands. */
export const randomCommand: fc.Arbitrary<string> = fc.oneof(
  { weight: 5, arbitrary: one },
  { weight: 3, arbitrary: shaped },
  { weight: 2, arbitrary: awkLine },
  { weight: 2, arbitrary: nameReader },
  {
    weight: 2,
    arbitrary: fc
      .tuple(one, fc.constantFrom(" | ", " && ", "; ", "\n", " || ", " & ", " |& "), one)
      .map(([left, between, right]) => left + between + right),
  },
  { weight: 1, arbitrary: one.map((line) => `(${line})`) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(one, fc.constantFrom("> out", "2>&1", "< list", ">/dev/null", "<<< x", "2> /dev/null", "< /etc/hostname"))
      .map((parts) => parts.join(" ")),
  },
);
