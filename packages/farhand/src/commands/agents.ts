import { agentsFile, localAgents, missingInWords } from '@farhand/device/installed-agents/local-agents'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import type { FoundAgent } from '@farhand/runner/catalogue/detect-agents'
import { withJsonErrors } from '../command-line/errors/with-json-errors.ts'
import type { CommandContext } from '../context/command-context.ts'
import { paint } from '../terminal/printing/paint.ts'
import { wrapWords } from '../terminal/printing/wrap-words.ts'

/** `farhand agents`: lists all agents, whether each can work here, and what is missing. */
export const agentsCommand = (flags: { state?: unknown; json?: unknown }, context: CommandContext) =>
  withJsonErrors(flags, context, async () => {
    const place = stateFolderPath(flags.state, context)
    const all = localAgents(place, context)
    if (flags.json) {
      for (const found of all) context.out(`${JSON.stringify(asJson(found))}\n`)
      return
    }
    const { bold, dim } = paint(context.color)
    const say = (text: string, hang?: number) => context.out(wrapWords(text, context.columns, hang))
    const width = Math.max(...all.map(({ entry }) => entry.id.length))
    for (const found of all) {
      const { entry } = found
      say(`${bold(entry.id.padEnd(width))}  ${states[found.is].padEnd(13)}  ${entry.name}\n`, width + 17)
      for (const line of advice(found)) say(`${' '.repeat(width)}  ${dim(line)}\n`)
    }
    const ready = all.find(({ is, entry }) => is === 'usable' && entry.id !== 'rehearsal')
    const first = ready ? `${ready.entry.id} "What is in this folder?"` : 'rehearsal "help"'
    context.out(`\nBegin with one: ${context.called.farhand} run --agent ${first}\n`)
    context.out(`What the built-in one reads: ${context.called.farhand} agent builtin --help\n`)
    context.out(`Agents of your own go into ${agentsFile(place)}\n`)
  })

const states: Record<FoundAgent['is'], string> = {
  usable: 'usable',
  maybe: 'if signed in',
  unset: 'not set up',
  'not-installed': 'not installed',
}

function advice(found: FoundAgent): string[] {
  const { entry, is, missing } = found
  const install = is === 'not-installed' && entry.install ? [`install: ${entry.install}`] : []
  const set = missing.length > 0 ? [missingInWords(found)] : []
  const signIn = missing.length > 0 && entry.signIn ? [`or sign in: ${entry.signIn}`] : []
  const servers = entry.mcpServers.map(({ name }) => name)
  const tools = servers.length > 0 ? [`with tools of ${servers.join(', ')}`] : []
  return [...install, ...set, ...signIn, ...tools]
}

const asJson = ({ entry, is, program, missing }: FoundAgent) => ({
  id: entry.id,
  name: entry.name,
  state: is,
  program: program?.[0] ?? null,
  missing,
  install: entry.install ?? null,
  signIn: entry.signIn ?? null,
  mcpServers: entry.mcpServers.map(({ name }) => name),
})
