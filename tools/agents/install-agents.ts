import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import type { TestProject } from 'vitest/node'
import { agentsUnderTest } from '../../packages/testkit/src/real-agents/agents-under-test.ts'
import {
  agentsFolder,
  type Installable,
  installedAt,
  isInstalled,
} from '../../packages/testkit/src/real-agents/installed-at.ts'
import { npmPatience } from '../npm/npm-patience.mjs'
import { explain } from '../npm/npm-trouble.mjs'
import { withProgress } from '../processes/progress.mjs'
import { runQuietly } from '../processes/run-quietly.ts'
import { takeTurns } from '../processes/take-turns.mjs'

/** Before the tests with agents of other people, and only if some are to run: has the agents they need at hand. */
export default async function setup(project: TestProject): Promise<void> {
  const { agents } = project.getProvidedContext()
  const troubles = await installAgents(agentsUnderTest.filter(({ id }) => agents.includes(id)))
  for (const [id, trouble] of troubles)
    process.stderr.write(`The tests with ${id} are skipped, as it could not be installed:\n${trouble}\n`)
}

export type Installing = {
  shelf: string
  /** Installs what the package.json in this folder asks for; throws what npm said. */
  install(folder: string): Promise<void>
  /** Where it is shown how far it is. */
  out: NodeJS.WriteStream
}

const here: Installing = {
  shelf: agentsFolder,
  install: (folder) => runQuietly('npm', npmArgs, { cwd: folder }),
  out: process.stderr,
}

/**
 * Installs the agents that are not installed completely, and returns the reason for each that cannot be installed. A second
 * caller waits for the first. A killed install is not used: the next one begins anew.
 */
export async function installAgents(
  wanted: readonly Installable[],
  { shelf, install, out } = here,
): Promise<Map<string, string>> {
  const troubles = new Map<string, string>()
  const missing = () => wanted.filter((agent) => !isInstalled(agent, shelf))
  if (missing().length === 0) return troubles
  const waiting = (pid: string) =>
    out.write(`Another command (process ${pid}) is installing agents; waiting for it.\n`)
  await takeTurns(`${shelf}.lock`, installMissing, waiting)
  return troubles

  async function installMissing(): Promise<void> {
    mkdirSync(shelf, { recursive: true })
    for (const name of readdirSync(shelf)) if (name.startsWith('.')) remove(path.join(shelf, name))
    const toDo = missing()
    if (toDo.length === 0) return
    const one = (agent: Installable) =>
      installOne(agent, shelf, install).catch((error: Error) => {
        troubles.set(agent.id, explain(error.message))
      })
    const all = async () => {
      await Promise.all(toDo.map(one))
      // Else the line would end with a mark as if all were well.
      if (troubles.size > 0) throw new Error('not all could be installed')
    }
    await withProgress(`Installing agents: ${toDo.map(({ id }) => id).join(', ')}`, all, out).catch(() => {})
  }
}

async function installOne(agent: Installable, shelf: string, install: Installing['install']): Promise<void> {
  const draft = mkdtempSync(path.join(shelf, `.${agent.id}-`))
  try {
    const manifest = { private: true, dependencies: agent.packages }
    writeFileSync(path.join(draft, 'package.json'), JSON.stringify(manifest))
    await install(draft)
    remove(installedAt(agent, shelf))
    renameSync(draft, installedAt(agent, shelf))
  } finally {
    remove(draft)
  }
}

const remove = (folder: string) => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })

const npmArgs = [
  'install',
  // None of them needs its scripts, and some would compile for minutes.
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--loglevel=error',
  // Without a network npm would wait for minutes before it says so, and that at each `npm test`.
  ...npmPatience({ longestMs: 5000, answerMs: 30_000 }),
]
