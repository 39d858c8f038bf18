const prefix = '_posthog/'

/** Methods that are called on the wire as in the code: the Agent Client Protocol and the seeds name them so. */
const bare = [
  'agent_message_chunk',
  'agent_thought_chunk',
  'user_message_chunk',
  'tool_call',
  'tool_result',
  'session/update',
  'session/set_mode',
  'session/set_config_option',
] as const
const isBare: ReadonlySet<string> = new Set(bare)

/** What an event is called on the wire. */
export type WireName<Name extends string> = Name extends (typeof bare)[number]
  ? Name
  : `${typeof prefix}${Name}`

/** The method on the wire for what the code calls an event. */
export const wireName = <Name extends string>(name: Name): WireName<Name> =>
  (isBare.has(name) ? name : `${prefix}${name}`) as WireName<Name>

/** What the code would call the event of a method; null for methods without our prefix. */
export function codeName(method: string): string | null {
  if (isBare.has(method)) return method
  if (!method.startsWith(prefix)) return null
  const name = method.slice(prefix.length)
  // Every author may send `_posthog/tool_call`, and only runners may send `tool_call` (W15).
  return isBare.has(name) ? null : name
}
