import { ownAgent } from '@farhand/testkit/own-agent'
import { hostedAgentContract } from './hosted-agent.contract.ts'

hostedAgentContract({
  id: 'builtin',
  packages: {},
  canAsk: true,
  startsAgain: 'resumed',
  start: ({ home, llmUrl }) => ({
    ...ownAgent('builtin'),
    env: { FARHAND_AGENT_HOME: home, FARHAND_MODEL_URL: `${llmUrl}/v1` },
  }),
})
