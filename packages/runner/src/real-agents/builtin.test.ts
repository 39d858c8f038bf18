import { fileURLToPath } from 'node:url'
import { hostedAgentContract } from './hosted-agent.contract.ts'

hostedAgentContract({
  id: 'builtin',
  packages: {},
  canAsk: true,
  startsAgain: 'resumed',
  start: ({ home, llmUrl }) => ({
    command: process.execPath,
    args: [
      '--import',
      import.meta.resolve('tsx'),
      fileURLToPath(import.meta.resolve('@farhand/agents/builtin/main')),
    ],
    env: { FARHAND_AGENT_HOME: home, FARHAND_MODEL_URL: `${llmUrl}/v1` },
  }),
})
