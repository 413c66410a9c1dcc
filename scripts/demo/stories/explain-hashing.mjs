import { PEBBLE } from "../projects.mjs";
import { agent, bash, glob, read, say, think } from "../tools.mjs";

const SCAN = `use std::{fs::File, io::Read, path::Path};

const HEAD: usize = 64 * 1024;

/// Files of the same size are compared by the hash of their head first, then by the hash of the whole.
pub fn fingerprint(path: &Path, whole: bool) -> std::io::Result<u64> {
    let mut file = File::open(path)?;
    let mut hash = 0xcbf29ce484222325u64;
    let mut buffer = vec![0; HEAD];
    loop {
        let read = file.read(&mut buffer)?;
        for byte in &buffer[..read] {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x100000001b3);
        }
        if read == 0 || !whole {
            return Ok(hash);
        }
    }
}
`;

const REPORT =
  "fingerprint() has two callers: group.rs:31 (whole = false, for every file whose size occurs more than once) and group.rs:48 (whole = true, only where the heads agree). No caller compares bytes afterwards.";

/** A question asked from a script, answered by an old client; its sub-agent lies beside the session. */
export const explainHashing = {
  name: "explain-hashing",
  ...PEBBLE,
  client: "2.0.50",
  model: "claude-haiku-4-5-20251001",
  gitBranch: "main",
  start: "2026-10-08T19:31:02.000Z",
  entrypoint: "sdk-cli",
  files: { "src/scan.rs": SCAN, "src/group.rs": "pub mod group {}\n" },
  tell(s) {
    s.printPrompt("Is it safe that pebble deletes files whose fingerprint is equal?");
    s.answer(
      say("I'll look at the hash and at the code that uses it."),
      glob("src/*.rs", ["src/group.rs", "src/main.rs", "src/scan.rs"]),
      read("src/scan.rs"),
      bash(
        "wc -l src/*.rs",
        "Size of the sources",
        "  74 src/group.rs\n 118 src/main.rs\n  21 src/scan.rs\n 213 total",
        { seconds: 0.1 },
      ),
    );
    s.answer(
      agent({
        type: "general-purpose",
        description: "Find callers of fingerprint",
        prompt: "Who calls fingerprint(), with which arguments, and does anyone compare bytes afterwards?",
        tell(a) {
          a.answer(
            bash(
              'grep -n "fingerprint(" src/*.rs',
              "Find the callers",
              "src/group.rs:31:        let head = fingerprint(path, false)?;\nsrc/group.rs:48:        let full = fingerprint(path, true)?;\nsrc/scan.rs:6:pub fn fingerprint(path: &Path, whole: bool) -> std::io::Result<u64> {",
              { seconds: 0.2 },
            ),
          );
          a.answer(say(REPORT));
          return REPORT;
        },
      }),
    );
    s.answer(
      think(
        "FNV-1a with 64 bits, not cryptographic. By accident a collision needs about 2^32 files; on purpose it is easy. Deleting on equality of a non-cryptographic hash is not safe.",
      ),
      say(
        "No. Two reasons:\n\n1. The hash is FNV-1a with 64 bits. It is not made against intent: anyone can construct two different files with the same value.\n2. After the full hash nothing compares the bytes (`src/group.rs:48` decides alone).\n\nEither use a cryptographic hash (BLAKE3 is faster here as well), or compare the bytes of the last two candidates before deleting. I would do both.",
      ),
    );
  },
};
