import { readFileSync } from 'node:fs'
import path from 'node:path'
import { nearestNames } from '@farhand/kit/nearest-names'
import { AgentEntry } from '@farhand/runner/catalogue/agent-entry'
import { knownAgents } from '@farhand/runner/catalogue/catalogue'
import { detectAgent, type FoundAgent, type Surroundings } from '@farhand/runner/catalogue/detect-agents'
import { mergedEntry } from '@farhand/runner/catalogue/merged-entry'
import { Trouble } from '../trouble/trouble.ts'

/** The file in which users list agents of their own. */
export const agentsFile = (stateFolderPath: string) => path.join(stateFolderPath, 'agents.json')

/** Every agent of the catalogue and of the user's list, the user's first, and whether each can work on this machine. */
export function localAgents(stateFolderPath: string, context: Surroundings): FoundAgent[] {
  const own = readOwn(agentsFile(stateFolderPath))
  const isReplaced = ({ id }: AgentEntry) => own.some((one) => one.id === id)
  const entries = [...own, ...knownAgents.filter((entry) => !isReplaced(entry))]
  return entries.map((entry) => detectAgent(entry, context))
}

export type UsableAgent = FoundAgent & { program: readonly [string, ...string[]] }

/** The agent with this id, if it can be started here; else Trouble says what is missing, or which agent may be meant. */
export function usableAgent(id: string, stateFolderPath: string, context: Surroundings): UsableAgent {
  const all = localAgents(stateFolderPath, context)
  const found = all.find(({ entry }) => entry.id === id)
  if (!found) throw unknownAgent(id, all, stateFolderPath)
  const { entry, program } = found
  if (!program)
    throw new Trouble(
      'failed',
      `${entry.name} is not installed: there is no program ${JSON.stringify(entry.command)} here.`,
      entry.install
        ? `Install it: ${entry.install}`
        : 'Put it on the PATH, or give its full path in agents.json.',
    )
  if (found.is === 'unset')
    throw new Trouble(
      'failed',
      `${entry.name} cannot work yet: ${missingInWords(found)}.`,
      'Set it in the environment, then try again.',
    )
  return { ...found, program }
}

/** Trouble for an unknown agent: which one may be meant, and which agents there are. */
export function unknownAgent(id: string, all: readonly FoundAgent[], stateFolderPath: string): Trouble {
  const ids = all.map(({ entry }) => entry.id)
  const near = nearestNames(id, ids)
  const meant = near.length > 0 ? `Did you mean ${near.join(' or ')}? ` : ''
  return new Trouble(
    'usage',
    `There is no agent called ${JSON.stringify(id)}.`,
    `${meant}There are ${ids.join(', ')}; yours go into ${agentsFile(stateFolderPath)}.`,
  )
}

/** `one of A and B must be set`, for each group of variables of which none is set. */
export const missingInWords = ({ missing }: { missing: readonly (readonly string[])[] }) =>
  missing.map((group) => `${inWords(group)} ${group.length > 1 ? 'must be' : 'is not'} set`).join(', and ')

const inWords = (names: readonly string[]) =>
  names.length > 1 ? `one of ${names.slice(0, -1).join(', ')} and ${names.at(-1)}` : names[0]

function readOwn(file: string): AgentEntry[] {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw wrong(file, `it cannot be read (${(error as Error).message})`, error)
  }
  let said: unknown
  try {
    said = JSON.parse(text)
  } catch (error) {
    throw wrong(file, `it is not JSON (${(error as Error).message})`, error)
  }
  if (!Array.isArray(said)) throw wrong(file, 'it is not a list')
  return said.map((one: unknown, at) => {
    const entry = AgentEntry.safeParse(withKnown(one))
    if (entry.success) return entry.data
    const [issue] = entry.error.issues
    const field = [at, ...(issue?.path ?? [])].map((part) =>
      typeof part === 'number' ? `[${part}]` : `.${String(part)}`,
    )
    throw wrong(file, `${field.join('')}: ${issue?.message}`, entry.error)
  })
}

/** An entry with the id of a catalogue agent adds to the catalogue's entry. */
function withKnown(said: unknown): unknown {
  if (typeof said !== 'object' || said === null || Array.isArray(said)) return said
  const known = knownAgents.find((entry) => entry.id === (said as { id?: unknown }).id)
  return known ? mergedEntry(known, said as Record<string, unknown>) : said
}

const wrong = (file: string, what: string, cause?: unknown) =>
  new Trouble(
    'usage',
    `${file} is wrong: ${what}.`,
    'It takes a list of agents: [{"id": "mine", "name": "Mine", "command": "my-agent", "args": ["--acp"], "passes": ["MY_KEY"]}]',
    cause,
  )
