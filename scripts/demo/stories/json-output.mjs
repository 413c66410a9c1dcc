import { PEBBLE } from "../projects.mjs";
import { background, bash, edit, read, say, think, write } from "../tools.mjs";

const MAIN = `mod group;
mod scan;

use clap::Parser;
use std::path::PathBuf;

#[derive(Parser)]
struct Args {
    /// Folders to look through
    folders: Vec<PathBuf>,
    /// Only say what would be deleted
    #[arg(long)]
    dry_run: bool,
}

fn main() -> std::io::Result<()> {
    let args = Args::parse();
    for group in group::duplicates(&args.folders)? {
        println!("{} copies of {}", group.len(), group[0].display());
    }
    Ok(())
}
`;

const CARGO = `[package]
name = "pebble"
version = "0.4.1"
edition = "2024"

[dependencies]
blake3 = "1"
clap = { version = "4", features = ["derive"] }
`;

const PRINT_JSON = `use serde::Serialize;
use std::{io::Write, path::PathBuf};

#[derive(Serialize)]
struct Group<'a> {
    copies: usize,
    paths: &'a [PathBuf],
}

/// One JSON object per line, so that a large result can be read while it is written.
pub fn print_json(out: &mut impl Write, group: &[PathBuf]) -> std::io::Result<()> {
    serde_json::to_writer(&mut *out, &Group { copies: group.len(), paths: group })?;
    writeln!(out)
}
`;

const FAILING = `running 4 tests
test group::heads_differ ... ok
test group::same_size ... ok
test output::one_object_per_group ... ok
test output::path_that_is_not_utf8 ... FAILED

failures:

---- output::path_that_is_not_utf8 stdout ----
thread 'output::path_that_is_not_utf8' panicked at src/output.rs:31:10:
called \`Result::unwrap()\` on an \`Err\` value: Custom { kind: Other, error: Error("path contains invalid UTF-8 characters", line: 0, column: 0) }

test result: FAILED. 3 passed; 1 failed; 0 ignored; finished in 0.02s
error: test failed, to rerun pass \`--bin pebble\``;

const SUMMARY = `1. Primary request: \`pebble --json\`, one object per line, for use in scripts; then release 0.5.0.
2. State: src/output.rs has print_json() with \`paths\` as strings; paths that are not UTF-8 are printed lossily and marked \`"lossy": true\`. 4 tests pass. README has a section "For scripts".
3. Decisions: JSON Lines instead of one array, so that a reader can start before the scan ends. No breaking change of the text output.
4. Pending: the release build and a pull request.`;

/** A feature from first line to release: a failing test, a project command, an automatic compaction, a background build. */
export const jsonOutput = {
  name: "json-output",
  ...PEBBLE,
  client: "2.1.325",
  model: "claude-opus-5-5",
  gitBranch: "json-output",
  start: "2026-11-10T17:05:12.000Z",
  mode: "acceptEdits",
  thinking: [9_000, 17_000], // so that the context fills up
  files: { "src/main.rs": MAIN, "Cargo.toml": CARGO },
  tell(s) {
    implement(s);
    review(s);
    release(s);
  },
};

function implement(s) {
  s.prompt("Add --json: one object per group of duplicates, one per line.", { mode: "acceptEdits" });
  s.answer(read("src/main.rs"), read("Cargo.toml"));
  s.answer(
    think(
      "JSON Lines: a Group with count and paths. PathBuf serialises only when it is UTF-8, so a test for other names belongs here.",
    ),
    say("I'll put the output into a module of its own, with a test for names that are not UTF-8."),
    write("src/output.rs", PRINT_JSON),
    edit(
      "Cargo.toml",
      'clap = { version = "4", features = ["derive"] }\n',
      'clap = { version = "4", features = ["derive"] }\nserde = { version = "1", features = ["derive"] }\nserde_json = "1"\n',
    ),
    edit(
      "src/main.rs",
      "    #[arg(long)]\n    dry_run: bool,\n",
      "    #[arg(long)]\n    dry_run: bool,\n    /// Print one JSON object per group and line\n    #[arg(long)]\n    json: bool,\n",
    ),
    edit(
      "src/main.rs",
      '        println!("{} copies of {}", group.len(), group[0].display());',
      '        match args.json {\n            true => output::print_json(&mut out, &group)?,\n            false => println!("{} copies of {}", group.len(), group[0].display()),\n        }',
    ),
  );
  s.answer(bash("cargo test", "Run the tests", FAILING, { seconds: 12.8, exit: 101 }));
  s.answer(
    think("As suspected. Lossy strings with a mark are better than refusing the whole run."),
    say(
      "The test found it: serde refuses paths that are not UTF-8. A scan must not fail over one odd name, so such paths are printed lossily and marked.",
    ),
    edit(
      "src/output.rs",
      "    copies: usize,\n    paths: &'a [PathBuf],",
      '    copies: usize,\n    paths: Vec<Cow<\'a, str>>,\n    #[serde(skip_serializing_if = "std::ops::Not::not")]\n    lossy: bool,',
    ),
    edit(
      "src/output.rs",
      "    serde_json::to_writer(&mut *out, &Group { copies: group.len(), paths: group })?;",
      "    let paths: Vec<_> = group.iter().map(|path| path.to_string_lossy()).collect();\n    let lossy = group.iter().any(|path| path.to_str().is_none());\n    serde_json::to_writer(&mut *out, &Group { copies: group.len(), paths, lossy })?;",
    ),
    edit("src/output.rs", "use std::{io::Write, path::PathBuf};", "use std::{borrow::Cow, io::Write, path::PathBuf};"),
  );
  s.answer(
    bash(
      "cargo test",
      "Run the tests again",
      "running 4 tests\ntest group::heads_differ ... ok\ntest group::same_size ... ok\ntest output::one_object_per_group ... ok\ntest output::path_that_is_not_utf8 ... ok\n\ntest result: ok. 4 passed; 0 failed; 0 ignored; finished in 0.02s",
      { seconds: 9.1 },
    ),
  );
  s.answer(
    say('`pebble --json` works: one object per line, `"lossy": true` where a name is not UTF-8. All 4 tests pass.'),
  );
  s.done();
  s.aiTitle("JSON output for pebble");
}

function review(s) {
  s.projectCommand(
    "review",
    "src/output.rs",
    "Review the file src/output.rs like a careful maintainer: correctness, errors, naming, tests. List findings by severity, most important first. Change nothing.",
  );
  s.answer(read("src/output.rs"), bash("cargo clippy --quiet -- -D warnings", "Lint", "", { seconds: 6 }));
  s.answer(
    say(
      "**Findings in `src/output.rs`**\n\n1. *Medium*: `print_json` is called with a locked stdout in `main`, but nothing flushes it before `process::exit` in the error path.\n2. *Low*: `lossy` walks the paths a second time; fine for groups of this size.\n3. *Low*: no test covers an empty group, which `duplicates()` never returns.\n\nClippy is quiet.",
    ),
  );
  s.done();
}

function release(s) {
  s.wait(1260);
  const prompt = s.prompt("Good. Start a release build in the background, then open a pull request.", {
    mode: "acceptEdits",
    thinking: [9_000, 17_000], // so that the context fills up
  });
  s.compactForRoom(prompt, SUMMARY);
  const build = background("cargo build --release", "Build the release", "bq81mzt4e");
  s.answer(
    build,
    bash(
      "git push -u origin json-output && gh pr create --fill",
      "Push and open the pull request",
      "branch 'json-output' set up to track 'origin/json-output'.\nhttps://github.com/pebble-example/pebble.rs/pull/37",
      { seconds: 4.6 },
    ),
  );
  s.pullRequest(37, PEBBLE.repository);
  s.answer(
    say("The release build runs, and the pull request is open: https://github.com/pebble-example/pebble.rs/pull/37."),
  );
  s.done();
  s.wait(140);
  s.notify(build, { summary: 'Background command "Build the release" completed (exit code 0)' });
  s.answer(say("The release build is done: `target/release/pebble`, 1.9 MB."));
  s.done();
}
