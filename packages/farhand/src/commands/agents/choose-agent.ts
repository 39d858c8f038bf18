import { lastAgent } from '@farhand/device/installed-agents/folder-agent'
import { localAgents, missingInWords } from '@farhand/device/installed-agents/local-agents'
import { whichAgent } from '@farhand/device/installed-agents/which-agent'
import { Trouble } from '@farhand/device/trouble/trouble'
import type { FoundAgent } from '@farhand/runner/catalogue/detect-agents'
import type { StateFolder } from '@farhand/sync/state/state-folder'
import type { CommandContext } from '../../context/command-context.ts'
import { chooseOne } from '../../terminal/choice/choose-one.ts'
import { paint } from '../../terminal/printing/paint.ts'

type Choice = { state: StateFolder; folder: string; isFar: boolean; json: boolean }

/**
 * The agent that the user named, else the one that is clear without asking, else the one that the user chooses from a
 * list.
 */
export async function chooseAgent(
  said: unknown,
  { state, folder, isFar, json }: Choice,
  context: CommandContext,
): Promise<string> {
  if (said !== undefined) return String(said)
  const found = localAgents(state.root, context)
  const which = whichAgent({ found, last: lastAgent(state, folder), isFar })
  if (which.is === 'this') {
    const why = which.why === 'last' ? 'as last time' : 'the only one that can work here'
    if (!json) context.note(`${paint(context.color).dim(`The agent is ${which.id}, ${why}.`)}\n`)
    return which.id
  }
  if (!context.ask || json) throw choiceNeeded(which.among, context)
  return await askedFor(which.among, context)
}

async function askedFor(among: readonly FoundAgent[], context: CommandContext): Promise<string> {
  const { dim } = paint(context.color)
  const width = Math.max(...among.map(({ entry }) => entry.id.length))
  const entries = among.map(({ entry, ...found }) => {
    const [first = [], ...further] = found.missing
    const other = first.length > 1 || further.length > 0 ? ' or the like' : ''
    const wants = found.is === 'unset' ? dim(`, once ${first[0]}${other} is set`) : ''
    return { says: `${entry.id.padEnd(width)}  ${entry.name}${wants}`, name: entry.id }
  })
  const usual = among.findIndex(({ is }) => is !== 'unset')
  const at = await chooseOne(
    { question: 'Which agent?', entries, usual: usual === -1 ? null : usual },
    context,
  )
  const chosen = typeof at === 'number' ? among[at] : undefined
  if (!chosen) {
    const exit = at === 'interrupted' ? 'interrupted' : 'usage'
    throw new Trouble(exit, 'No agent was chosen, and nothing was started.', others(context))
  }
  if (chosen.is !== 'unset') return chosen.entry.id
  throw new Trouble(
    'failed',
    `${chosen.entry.name} cannot work yet: ${missingInWords(chosen)}.`,
    'Set it in the environment, then try again.',
  )
}

function choiceNeeded(among: readonly FoundAgent[], context: CommandContext): Trouble {
  const named = among.map(({ entry, is }) => (is === 'unset' ? `${entry.id} (not set up)` : entry.id))
  return new Trouble('usage', `Which agent? Here are ${named.join(', ')}.`, others(context))
}

const others = ({ called }: CommandContext) =>
  `Name one with --agent; \`${called.farhand} agents\` lists all, and what each of them still needs.`
