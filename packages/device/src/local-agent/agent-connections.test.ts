import { agentConnectionContract } from '@farhand/client/agent/agent-connection.contract'
import { RunUnderTest } from '@farhand/runner/runner-under-test'
import { openLocalConnection, sessionId } from './local-connection-under-test.ts'

agentConnectionContract('LocalConnection', async () => {
  const connection = await openLocalConnection()
  const answer = (questionId: string, answer: unknown) => connection.answer({ sessionId, questionId, answer })
  return { connection, sessionId, answer }
})

agentConnectionContract('CloudConnection', async () => {
  const run = await RunUnderTest.begin()
  await run.start()
  const answer = (questionId: string, answer: unknown) =>
    run.say('_posthog/user_response', { questionId, answer })
  return { connection: run.connection(), sessionId: run.at.run, answer }
})
