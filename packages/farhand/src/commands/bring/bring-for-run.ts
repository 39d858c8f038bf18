import type { Hub } from '@farhand/client/requests/hub'
import { type Brought, setupForRun } from '@farhand/device/bring/setup-for-run'
import type { SandboxTerms } from '@farhand/protocol/schemas/sandbox-terms'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { CommandContext } from '../../context/command-context.ts'
import { paint } from '../../terminal/printing/paint.ts'
import { shownText } from '../../terminal/printing/shown-text.ts'
import { countsInWords } from './brought-in-words.ts'

export type ToBring = {
  /** The run's terms, plus the secrets that the brought servers need. */
  terms: SandboxTerms
  /** Posts the setup to the run; to be called before the agent gets its first message. */
  send(at: RunAddress): Promise<void>
}

type Circumstances = {
  flags: { bring?: unknown; json?: unknown }
  stateFolderPath: string
  hub: Hub
  agent: string
  terms: SandboxTerms
  /** The name or id of the project, for a new run; an existing run has its secrets in `terms`. */
  project?: string
  /** For a run that may have a setup already: choosing nothing removes it. */
  evenNothing?: true
}

/** Gathers what the user chose to bring to the sandbox of a run. `send` reports what was chosen and is not brought. */
export async function bringForRun(
  { flags, ...about }: Circumstances,
  context: CommandContext,
): Promise<ToBring> {
  if (flags.bring === false) return { terms: about.terms, send: async () => {} }
  const { terms, send } = await setupForRun(about, context, context.stop)
  return {
    terms,
    send: async (at) => {
      const brought = await send(at)
      if (brought) tell(brought, { flags, isNew: about.project !== undefined }, context)
    },
  }
}

function tell(
  { files, changed, servers, left }: Brought,
  { flags, isNew }: Pick<Circumstances, 'flags'> & { isNew: boolean },
  context: CommandContext,
): void {
  const names = servers.map(({ name }) => name)
  if (flags.json) {
    const told = { files: files.map(({ path }) => path), servers: names, left, changed }
    context.out(`${JSON.stringify({ event: 'brought', ...told })}\n`)
    return
  }
  const { dim, yellow } = paint(context.color)
  const said = countsInWords(files.length, names)
  const { farhand } = context.called
  if (said) context.note(dim(`brings ${said} of yours (\`${farhand} bring\`)\n`))
  for (const path of changed)
    context.note(dim(`~/${path} has changed since you added it, and passed the scan again\n`))
  for (const { what, why } of left) context.note(yellow(`not brought: ${shownText(`${what}: ${why}`)}\n`))
  if (!left.some(({ why }) => why.startsWith('there is no secret'))) return
  const next = isNew
    ? `A secret is kept for the project of a folder, in it: ${farhand} secret set <name>`
    : 'A run is given its secrets when it is made: a new one can have it.'
  context.note(dim(`${next}\n`))
}
