// An agent that puts markup and scripts into every field that it can fill. It speaks ACP in plain lines: what a proper
// library would refuse to send is part of what it sends.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { createInterface } from 'node:readline'

const poisons = [
  '<img src=x onerror="window.__xss=1">',
  '<script>window.__xss=1</script>',
  '[click](javascript:window.__xss=1)',
  '![pixel](https://elsewhere.example/pixel.png)',
  '<svg/onload=window.__xss=1>',
  '"><iframe srcdoc="<script>parent.__xss=1</script>">',
  '<https://elsewhere.example/auto> <a href="java&#10;script:window.__xss=1">x</a>',
  '\u202e\u001b]8;;javascript:window.__xss=1\u0007link\u001b]8;;\u0007',
]
const bad = poisons.join('\n\n')
const line = poisons.join(' ')

const send = (/** @type {object} */ message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const sessionId = line
let cwd = '.'
let nextId = 1
const answers = new Map()
const ask = (/** @type {string} */ method, /** @type {object} */ params) => {
  const id = nextId++
  send({ id, method, params })
  return new Promise((resolve) => answers.set(id, resolve))
}
const tell = (/** @type {object} */ update) =>
  send({ method: 'session/update', params: { sessionId, update } })
const text = (/** @type {string} */ words) => ({ type: 'text', text: words })
const choices = [{ value: line, name: line, description: line }]

const session = () => ({
  sessionId,
  modes: { currentModeId: line, availableModes: [{ id: line, name: line, description: line }] },
  configOptions: [
    { id: line, name: line, description: line, type: 'select', currentValue: line, options: choices },
  ],
})

const svg = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg"><script>window.__xss=1</script></svg>',
).toString('base64')

async function work() {
  tell({
    sessionUpdate: 'available_commands_update',
    availableCommands: [{ name: 'poison', description: line, input: { hint: line } }],
  })
  tell({ sessionUpdate: 'session_info_update', title: line })
  tell({ sessionUpdate: 'agent_thought_chunk', content: text(bad) })
  // Cut in the middle, as a model does.
  for (const part of bad.match(/[\s\S]{1,7}/g) ?? [])
    tell({ sessionUpdate: 'agent_message_chunk', content: text(part) })
  tell({
    sessionUpdate: 'agent_message_chunk',
    content: { type: 'image', mimeType: 'image/svg+xml', data: svg },
  })
  tell({
    sessionUpdate: 'plan',
    entries: poisons.map((content) => ({ content, priority: line, status: 'in_progress' })),
  })
  for (const [nth, kind] of ['read', 'edit', 'execute', 'fetch', 'think', line].entries())
    tell({
      sessionUpdate: 'tool_call',
      toolCallId: `${nth} ${line}`,
      title: line,
      kind,
      status: nth % 2 ? 'failed' : 'completed',
      rawInput: { command: line, [line]: bad },
      rawOutput: { output: bad, exitCode: line },
      locations: [{ path: join(cwd, line), line: 1 }],
      content: [
        { type: 'content', content: text(bad) },
        { type: 'content', content: { type: 'image', mimeType: `${line}`, data: svg } },
        {
          type: 'content',
          content: { type: 'resource_link', name: line, uri: 'javascript:window.__xss=1' },
        },
        { type: 'diff', path: join(cwd, line), oldText: bad, newText: `${bad}\n${bad}` },
        { type: 'terminal', terminalId: line },
      ],
    })
  writeFileSync(join(cwd, '<img src=x onerror=window.__xss=1>.md'), bad)
  writeFileSync(join(cwd, 'page.html'), `<script>window.__xss=1</script>${bad}`)
  writeFileSync(join(cwd, 'picture.svg'), Buffer.from(svg, 'base64'))
  await ask('session/request_permission', {
    sessionId,
    toolCall: { toolCallId: `asked ${line}`, title: line, kind: 'execute', rawInput: { command: bad } },
    options: poisons.slice(0, 4).map((name, nth) => ({ optionId: `${nth}`, name, kind: 'allow_once' })),
  })
}

/** @type {Record<string, (params: { cwd: string }) => unknown>} */
const replies = {
  initialize: () => ({
    protocolVersion: 1,
    agentInfo: { name: line, title: line, version: line },
    agentCapabilities: { promptCapabilities: { image: true } },
    authMethods: [],
  }),
  'session/new': (params) => {
    cwd = params.cwd
    return session()
  },
  'session/prompt': async () => {
    await work()
    throw new Error(bad)
  },
}

createInterface({ input: process.stdin }).on('line', async (said) => {
  const { id, method, params, result } = JSON.parse(said)
  if (method === undefined) return answers.get(id)?.(result)
  if (id === undefined) return
  try {
    const reply = replies[method]
    if (reply) send({ id, result: await reply(params) })
    else send({ id, error: { code: -32601, message: line } })
  } catch (error) {
    send({ id, error: { code: -32603, message: String(error), data: { details: bad } } })
  }
})
