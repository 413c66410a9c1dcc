import type { SandboxPlan } from "./plan-sandbox.js";

/** `folders`: more that this command may write to. `filter`: the descriptor from which it reads the filter of system calls. */
export function bwrapArguments(
  plan: SandboxPlan,
  { cwd, folders, filter }: { readonly cwd: string; readonly folders: readonly string[]; readonly filter: number },
): readonly string[] {
  const each = (option: string, paths: readonly string[]) => paths.flatMap((path) => [option, path, path]);
  return [
    "--die-with-parent",
    "--unshare-pid", // other processes, whose environments have keys, are not visible
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup-try",
    ...(plan.allowsNetwork ? [] : ["--unshare-net"]),
    "--cap-drop", // root could mount what is read-only as writable
    "ALL",
    "--seccomp",
    `${filter}`,
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    "--remount-ro", // root needs no capability to write to /proc/sys, where programs of the kernel are named
    "/proc",
    ...plan.emptied.flatMap((path) => ["--tmpfs", path]),
    ...plan.temporary.flatMap((path) => ["--bind", plan.privateTemporary, path]),
    ...each("--ro-bind", plan.readable),
    ...each("--bind", plan.writable),
    // A mount cannot be renamed. What is gone since it was found needs none.
    ...each("--bind-try", plan.pinned),
    ...each("--ro-bind-try", plan.readOnly),
    ...plan.hidden.flatMap(({ path, isFolder }) => (isFolder ? ["--tmpfs", path] : ["--ro-bind", "/dev/null", path])),
    ...each("--bind", folders),
    "--chdir",
    cwd,
  ];
}
