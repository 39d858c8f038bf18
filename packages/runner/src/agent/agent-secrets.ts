import type { NamedSecret } from '../events/redaction.ts'
import type { AgentCommand } from './agent.ts'

/** The secrets that an agent is started with. Of a header, each word counts: the key is only one of them. */
export function agentSecrets({
  env,
  mcpServers = [],
}: Pick<AgentCommand, 'env' | 'mcpServers'>): NamedSecret[] {
  const own = Object.entries(env).map(([name, value]) => ({ name, value }))
  const theirs = mcpServers.flatMap((server) => ('headers' in server ? server.headers : server.env))
  const said = mcpServers.flatMap((server) => ('args' in server ? argumentsOf(server.args) : []))
  const words = [...theirs, ...said].flatMap(({ name, value }) =>
    value.split(/\s+/).map((word) => ({ name, value: word })),
  )
  const isKey = ({ name, value }: NamedSecret) =>
    /KEY|TOKEN|SECRET|PASSW|CREDENTIAL|AUTHORIZATION|COOKIE/i.test(name) && value.length >= 8
  return [...own, ...words].filter(isKey)
}

/** The value of `--name=value` and of `--name value`, by its name. */
const argumentsOf = (args: readonly string[]): NamedSecret[] =>
  args.map((arg, at) => {
    const [, name, value] = /^(-[^=]*)=(.*)$/s.exec(arg) ?? []
    return name === undefined ? { name: args[at - 1] ?? '', value: arg } : { name, value: value! }
  })

/** All values that must not appear in what a runner writes and keeps: its secrets, the keys of its agent, its own token. */
export function runnerSecrets({ secrets = [], agent, hub }: SecretHolders): NamedSecret[] {
  return [
    ...secrets,
    ...agentSecrets(agent.command),
    { name: 'FARHAND_RUNNER_TOKEN', value: hub.token ?? '' },
  ]
}

type SecretHolders = {
  secrets?: readonly NamedSecret[]
  agent: { command: AgentCommand }
  hub: { token?: string | undefined }
}
