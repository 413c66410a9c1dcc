import { useEffect, useState } from "preact/hooks";

/** A value that has not changed for a while; undefined before that. */
export function useSettled<Value>(value: Value, settleMs: number): Value | undefined {
  const [settled, setSettled] = useState<Value>();
  useEffect(() => {
    const timer = setTimeout(() => setSettled(() => value), settleMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
