import { findGitPlace } from "../../format/git/git-remotes.js";
import { type GitHistory, openGitHistory } from "../../format/git/run-git.js";
import { makeTemporaryFolder, removeTemporary } from "../../store/temporary.js";

export interface OpenHistory extends GitHistory {
  close(): void;
}

/** The history of the repository that a folder is in; undefined where there is none that can be read. The caller closes it. */
export function openHistory(folder: string): OpenHistory | undefined {
  const place = findGitPlace(folder);
  if (!place) return undefined;
  const scratch = makeTemporaryFolder("git");
  const close = () => removeTemporary(scratch);
  const history = openGitHistory(place, scratch);
  if (!history) close();
  return history && { ...history, close };
}
