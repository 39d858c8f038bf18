/** What an event says, before the hub has made one of it. */
export type Said = { method: string; params: Record<string, unknown> }

const paragraph = `I looked at how \`fields\` cuts a line, and **the cause is the comma inside of quotation marks**. What I will do:

1. read the parser and its tests, and write one that fails;
2. mend \`src/fields.ts\` so that a field in quotation marks stays whole;
3. run all tests, and look at [the page about CSV](https://www.rfc-editor.org/rfc/rfc4180) again.

| input | before | now |
|---|---|---|
| \`a,b\` | 2 fields | 2 fields |
| \`"a,b",c\` | 3 fields | 2 fields |

\`\`\`ts
export function fields(line: string): string[] {
  const found = line.match(/("([^"]|"")*"|[^,]*)(,|$)/g) ?? []
  return found.map((field) => unquoted(field.replace(/,$/, '')))
}
\`\`\`

That is what the watcher stumbles over, too: a folder that is new has no entry yet, and what is written into it is missed.

`

const musing =
  'The test reads a line with a comma in quotation marks. If the expression is greedy it takes the rest of the line along, so I should anchor it at the end, and see what becomes of an empty field. '

const lines = (count: number, text: (n: number) => string) => Array.from({ length: count }, (_, n) => text(n))

/** Cut as a model would say it: a few words at a time. */
function chunks(method: string, text: string, messageId: string): Said[] {
  const cut = text.match(/[\s\S]{1,24}/g) ?? []
  return cut.map((text) => ({ method, params: { text, messageId, content: { type: 'text', text } } }))
}

function edit(name: string, nth: number): Said[] {
  const path = `src/part-${nth % 40}.ts`
  const before = lines(40, (n) => `export const value${n} = compute(${n}, 'before ${nth}')`)
  const after = before.map((line, n) => (n % 9 === 4 ? line.replace('before', 'after') : line))
  const content = [{ type: 'diff', path, oldText: before.join('\n'), newText: after.join('\n') }]
  const toolCallId = `${name}-${nth}`
  const call = { toolCallId, title: `Edit ${path}`, kind: 'edit', locations: [{ path, line: 4 }] }
  return [
    { method: 'tool_call', params: { ...call, status: 'pending', rawInput: { path } } },
    {
      method: 'session/update',
      params: { update: { sessionUpdate: 'tool_call_update', toolCallId, content } },
    },
    { method: 'tool_result', params: { toolCallId, status: 'completed', content } },
  ]
}

function command(name: string, nth: number): Said[] {
  const toolCallId = `${name}-${nth}`
  const text = lines(
    30,
    (n) => `ok ${n} a line of what a test prints, with the time it took (${n * 3} ms)`,
  ).join('\n')
  const content = [{ type: 'content', content: { type: 'text', text } }]
  const rawInput = { command: `npm test -- part-${nth}` }
  return [
    {
      method: 'tool_call',
      params: { toolCallId, title: rawInput.command, kind: 'execute', status: 'in_progress', rawInput },
    },
    {
      method: 'tool_result',
      params: { toolCallId, status: 'completed', content, rawOutput: { exitCode: 0 } },
    },
  ]
}

const steps = ['read the parser', 'write a test that fails', 'mend it', 'run all tests', 'say what was done']

function plan(done: number): Said {
  const status = (n: number) => (n < done ? 'completed' : n === done ? 'in_progress' : 'pending')
  const entries = steps.map((content, n) => ({ content, status: status(n), priority: 'medium' }))
  return { method: 'session/update', params: { update: { sessionUpdate: 'plan', entries } } }
}

/** What the agent does in a turn: it plans, thinks, edits, runs commands, and says what it has done; about 250 events. */
export function turnOfAgent(name: string): Said[] {
  return steps.flatMap((_, nth) => [
    plan(nth),
    ...chunks('agent_thought_chunk', musing, `${name}-thought-${nth}`),
    ...edit(`${name}-edit`, nth),
    ...command(`${name}-run`, nth),
    ...chunks(
      'agent_message_chunk',
      paragraph.slice(0, nth === steps.length - 1 ? undefined : 700),
      `${name}-${nth}`,
    ),
  ])
}
