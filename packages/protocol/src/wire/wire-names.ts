const prefix = '_posthog/'

/** Methods that have the same name on the wire and in the code, given by the Agent Client Protocol and the seeds. */
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

/** The name of an event on the wire. */
export type WireName<Name extends string> = Name extends (typeof bare)[number]
  ? Name
  : `${typeof prefix}${Name}`

/** The method on the wire of an event. */
export const wireName = <Name extends string>(name: Name): WireName<Name> =>
  (isBare.has(name) ? name : `${prefix}${name}`) as WireName<Name>

/** The event name in the code of a method on the wire; null for methods of other programs. */
export function codeName(method: string): string | null {
  if (isBare.has(method)) return method
  if (!method.startsWith(prefix)) return null
  const name = method.slice(prefix.length)
  // Every author may send `_posthog/tool_call`, and only runners may send `tool_call` (W15).
  return isBare.has(name) ? null : name
}
