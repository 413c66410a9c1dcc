import { useState } from "preact/hooks";
import { neutralize } from "../../render/safe-text.js";
import type { LiveNews } from "../../server/api/events.js";
import { navigate, sessionPath } from "../router.js";
import { keepListeningWhileHidden } from "../server-events.js";

const WANTED = "turnlog-notifications";

export type NotificationState = "on" | "off" | "blocked" | "unsupported";

interface NotificationSwitch {
  readonly state: NotificationState;
  toggle(): Promise<void>;
}

/** Whether the browser shows what a running session begins to wait for; asked for by a click, remembered in this browser. */
export function useNotificationSwitch(): NotificationSwitch {
  const [state, setState] = useState(notificationState);
  const toggle = async () => {
    const isOn = notificationState() === "on";
    if (!isOn && (await Notification.requestPermission()) === "granted") localStorage.setItem(WANTED, "1");
    if (isOn) localStorage.removeItem(WANTED);
    keepListeningWhileHidden(notificationState() === "on");
    setState(notificationState());
  };
  return { state, toggle };
}

function notificationState(): NotificationState {
  if (!("Notification" in window)) return "unsupported";
  if (Notification.permission === "denied") return "blocked";
  return Notification.permission === "granted" && localStorage.getItem(WANTED) !== null ? "on" : "off";
}

/** One for each session: another tab's, and what it did before, is replaced. */
export function notifyOf({ id, title, text }: LiveNews): void {
  if (notificationState() !== "on") return;
  const notification = new Notification(neutralize(title ?? "A session"), { body: neutralize(text), tag: id });
  notification.addEventListener("click", () => {
    window.focus();
    navigate(sessionPath(id));
    notification.close();
  });
}

/** Called once, at the start. */
export function startNotifications(): void {
  keepListeningWhileHidden(notificationState() === "on");
}
