/** One line of the small language in which a test's prompt tells a scripted model what to do. */
export type Step =
  | { do: 'say'; text: string }
  | { do: 'write'; path: string; content: string }
  | { do: 'run'; command: string }
  | { do: 'ask' }
  | { do: 'recall'; key: string }
  | { do: 'stream' }
  | { do: 'refuse'; status: number; times: number }

export const writtenByDefault = 'Hello from a scripted model.\n'

/**
 * The lines of a text that are commands, in order; all other lines are only words:
 * `say: <text>`, `write <path>`, `write <path>: <content>`, `run: <command>`, `ask me`, `recall: <what>`
 * (for which an earlier message said "<what> is <value>"), `stream slowly`,
 * `fail with <status>`, `rate limit`, and the last two with `once` or `<n> times` if it is to pass.
 */
export function stepsOf(text: string): Step[] {
  return text.split('\n').flatMap((line) => stepOf(line.trim()) ?? [])
}

function stepOf(line: string): Step | null {
  const [, said] = /^say:\s*(.+)$/i.exec(line) ?? []
  if (said !== undefined) return { do: 'say', text: said }
  const [, command] = /^run:\s*(.+)$/i.exec(line) ?? []
  if (command !== undefined) return { do: 'run', command }
  const [, key] = /^recall:\s*(.+)$/i.exec(line) ?? []
  if (key !== undefined) return { do: 'recall', key }
  const [, path, content] = /^write ([^\s:]+)(?::\s*(.*))?$/i.exec(line) ?? []
  if (path !== undefined)
    return { do: 'write', path, content: content === undefined ? writtenByDefault : `${content}\n` }
  if (/^ask me\b/i.test(line)) return { do: 'ask' }
  if (/^stream slowly\b/i.test(line)) return { do: 'stream' }
  const [, status, how] = /^(?:fail with (\d{3})|rate limit)(?: (once|\d+ times))?[.!]?$/i.exec(line) ?? []
  if (status === undefined && !/^rate limit/i.test(line)) return null
  return { do: 'refuse', status: Number(status ?? 429), times: timesOf(how) }
}

const timesOf = (how: string | undefined) =>
  how === undefined ? Number.POSITIVE_INFINITY : how.toLowerCase() === 'once' ? 1 : Number.parseInt(how, 10)
