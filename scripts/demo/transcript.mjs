/** The lines of one session file: nodes hang on the one before them unless told otherwise. */
export function openTranscript({ ids, clock, client, origin, agentId }) {
  const lines = [];
  let tip = null;

  function node(fields, { parentUuid = tip, uuid = ids.uuid() } = {}) {
    const stamped = { ...fields, uuid, timestamp: clock.now() };
    lines.push(client.layOut({ parentUuid, agentId, origin, fields: stamped }));
    tip = uuid;
    return uuid;
  }

  return {
    ids,
    clock,
    client,
    origin,
    agentId,
    node,
    /** A record outside the parent chain. */
    side: (fields) => lines.push({ ...fields, sessionId: origin.sessionId }),
    sideWithoutSession: (fields) => lines.push(fields),
    tip: () => tip,
    setTip(uuid) {
      tip = uuid;
    },
    text: () => lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
  };
}
