import type { Node } from "./node.js";
import type { CallNotification } from "./pair-tool-calls.js";

/** Task or sub-agent id to the call that launched it; the first word stands, it is the launch itself. */
export function linkTasks(nodes: readonly Node[]): Map<string, string> {
  const tasks = new Map<string, string>();
  for (const { task } of nodes) {
    if (task?.taskId !== undefined && task.toolUseId !== undefined && !tasks.has(task.taskId)) {
      tasks.set(task.taskId, task.toolUseId);
    }
  }
  return tasks;
}

/** Notifications by the call they speak of; the same task may notify more than once, the last stands. */
export function listNotifications(
  nodes: readonly Node[],
  tasks: ReadonlyMap<string, string>,
): Map<string, CallNotification> {
  const notifications = new Map<string, CallNotification>();
  for (const { role, task, text, time } of nodes) {
    if (role !== "notification" && role !== "queuedNotification") continue;
    const call = task?.toolUseId ?? tasks.get(task?.taskId ?? "");
    if (call === undefined) continue;
    notifications.set(call, {
      status: task?.status ?? null,
      summary: text ?? null,
      at: time === undefined ? null : new Date(time).toISOString(),
      durationMs: task?.durationMs ?? null,
    });
  }
  return notifications;
}
