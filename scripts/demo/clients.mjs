/** How the records of each client version look. The parts that turnlog reads are those of real files. */
export const CLIENTS = {
  "2.0.50": {
    version: "2.0.50",
    layOut: layOutOld,
    agentIdLength: 8,
    numberLine: arrowNumber,
    usage: (usage) => ({ usage: shortUsage(usage, usage.output), stops: true }),
  },
  "2.1.45": {
    version: "2.1.45",
    layOut: layOutOld,
    agentIdLength: 6,
    numberLine: arrowNumber,
    namesSource: true,
    /** Stop reasons are never written, and the output is a placeholder but for the last record of some messages. */
    usage: (usage, { isLast, isLucky }) => ({
      usage: isLast && isLucky ? longUsage(usage) : shortUsage(usage, 1),
      stops: false,
    }),
  },
  "2.1.325": {
    version: "2.1.325",
    layOut: layOutNew,
    agentIdLength: 16,
    numberLine: (text, number) => `${number}\t${text}`,
    namesSource: true,
    isNew: true,
    usage: (usage) => ({
      usage: { ...longUsage(usage), output_tokens_details: { thinking_tokens: usage.thinking }, fallback_credit: null },
      stops: true,
    }),
  },
};

function arrowNumber(text, number) {
  return `${String(number).padStart(6)}→${text}`;
}

function layOutOld({ parentUuid, agentId, origin, fields }) {
  const { cwd, sessionId, version, gitBranch } = origin;
  return {
    parentUuid,
    isSidechain: agentId !== undefined,
    userType: "external",
    cwd,
    sessionId,
    version,
    gitBranch,
    ...(agentId === undefined ? {} : { agentId }),
    ...fields,
  };
}

function layOutNew({ parentUuid, agentId, origin, fields }) {
  const { entrypoint, cwd, sessionId, version, gitBranch } = origin;
  return {
    parentUuid,
    isSidechain: agentId !== undefined,
    ...(agentId === undefined ? {} : { agentId }),
    ...fields,
    userType: "external",
    entrypoint,
    cwd,
    sessionId,
    version,
    gitBranch,
  };
}

/** As it is when a message begins to stream. */
export function shortUsage({ input, cacheRead, cacheWrite }, output) {
  return {
    input_tokens: input,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
    cache_creation: { ephemeral_5m_input_tokens: cacheWrite, ephemeral_1h_input_tokens: 0 },
    output_tokens: output,
    service_tier: "standard",
  };
}

function longUsage(usage) {
  return {
    ...shortUsage(usage, usage.output),
    server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
    inference_geo: "not_available",
    iterations: [],
    speed: "standard",
  };
}
