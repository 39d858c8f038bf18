// Starts a run, prints what its agent says, and answers what it asks.
//   HUB=http://127.0.0.1:7717 TOKEN=... node start-a-run.mjs 'ask permission to run `ls`'
// AGENT and SANDBOX choose who works and where; the rehearsal needs no model.
import process from 'node:process'
import { addressOf, closeRun, createProject, createRun, createTask, follow, post } from '@farhand/client'

const hub = { url: process.env.HUB ?? 'http://127.0.0.1:7717', token: process.env.TOKEN ?? '' }
const { AGENT: agent = 'rehearsal', SANDBOX: sandbox = 'auto' } = process.env
const [prompt = 'ask permission to run `ls`'] = process.argv.slice(2)

const project = await createProject(hub, { name: 'examples' })
const task = await createTask(hub, project.id, { title: prompt })
const run = await createRun(hub, project.id, task.id, { agent, sandbox, prompt })
console.error(`run ${run.id}`)

for await (const { notification } of follow(hub, addressOf(run), { after: 0 })) {
  const { method, params } = notification
  if (method === 'agent_message_chunk') process.stdout.write(params.text)
  if (method === '_posthog/agent_question') await answer(params)
  if (method === '_posthog/error') console.error(params.message)
  // It could be told more; this one ends after its first turn. The loop goes on until the run is closed.
  if (method === '_posthog/turn_complete') await closeRun(hub, addressOf(run))
}
process.stdout.write('\n')

/** The first of the answers that can be given. A program for people would show them. */
async function answer({ questionId, question, options = [] }) {
  const [first = 'yes'] = options
  console.error(`${question} ${first.name ?? first}`)
  const params = { questionId, answer: first.optionId ?? first }
  await post(hub, addressOf(run), { jsonrpc: '2.0', method: '_posthog/user_response', params })
}
