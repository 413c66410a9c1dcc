import { basename } from "node:path";
import { isWithin, realPath } from "../../workspace.js";

/** Programs that give no file other contents than none. */
export const KEEPS_CONTENTS = /^(?:chgrp|chmod|chown|mkdir|rm|rmdir|touch|truncate|unlink)$/;

/** Programs that make files of names which no argument says. */
export const UNPACKERS =
  /^(?:7za?|7zz|ar|bsdcpio|bsdtar|cpio|dpkg-deb|gtar|jar|patch|pax|rsync|scp|sftp|tar|unar|unrar|unsquashfs|unzip)$/;

/** Of the programs that start no others, those that write to any file which an argument names. */
export const COPIERS = /^(?:cp|curl|gunzip|gzip|ln|mv|tee|tree|uniq|xxd|zcat)$/;

/** What no tool takes for a program or its settings. */
const NOT_RUN =
  /^(?!cmakelists\.txt$|requirements[^/]*\.txt$)(?:.*\.(?:csv|diff|err|log|md|out|png|snap|svg|tsv|txt)|errors?|log|out|output|results?)$/i;

/** Whether a tool that gets these words may run a file, or what is in it. */
export function mayBeRun(path: string, words: readonly string[]): boolean {
  return !NOT_RUN.test(basename(path)) || words.some((word) => overlaps(word, path));
}

/** Whether one of two absolute paths is, or contains, the other. */
export function overlaps(one: string, other: string): boolean {
  const both = (path: string) => [path, realPath(path)];
  return both(one).some((a) => both(other).some((b) => isWithin(a, b) || isWithin(b, a)));
}
