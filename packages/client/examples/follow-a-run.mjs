// Prints what the agent of a run has said, and then what it says, until the run is closed.
//   HUB=http://127.0.0.1:7717 TOKEN=... node follow-a-run.mjs run_4fJ2...
// Take the network away meanwhile: it goes on where it was, with no word lost and none twice.
import process from 'node:process'
import { addressOf, findRun, follow } from '@farhand/client'

const hub = { url: process.env.HUB ?? 'http://127.0.0.1:7717', token: process.env.TOKEN ?? '' }
const run = await findRun(hub, process.argv[2])

const onState = (state) => console.error(`(${state.is})`)
for await (const { id, notification } of follow(hub, addressOf(run), { after: 0, onState })) {
  const { method, params } = notification
  if (method === '_posthog/user_message') console.log(`> ${params.content}`)
  if (method === 'agent_message_chunk') process.stdout.write(params.text)
  if (method === '_posthog/turn_complete') console.log(`\n(${params.stopReason}, event ${id})`)
}
