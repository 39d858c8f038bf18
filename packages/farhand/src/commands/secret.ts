import { realpathSync } from 'node:fs'
import { basename } from 'node:path'
import type { Hub } from '@farhand/client/requests/hub'
import { createProject } from '@farhand/client/resources/resources'
import { deleteSecret, listSecrets, putSecret } from '@farhand/client/resources/secrets'
import { projectNamed } from '@farhand/device/find-run/project-named'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import { pathInWords } from '@farhand/device/wording/path-in-words'
import type { Project } from '@farhand/protocol/schemas/api'
import { SecretName } from '@farhand/protocol/schemas/sandbox-terms'
import { type ListedSecret, type NewSecret, secretLimits } from '@farhand/protocol/schemas/secrets'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { hubTrouble } from '../command-line/errors/hub-trouble.ts'
import { withJsonErrors } from '../command-line/errors/with-json-errors.ts'
import type { CommandContext } from '../context/command-context.ts'
import { nameOrChoice } from '../terminal/choice/name-or-choice.ts'
import { pipedText } from '../terminal/prompts/piped-text.ts'
import { hubAccess } from './find-run/hub-access.ts'
import type { ReachFlags } from './find-run/reach-run.ts'

export type SecretFlags = ReachFlags & Readonly<Partial<Record<'project' | 'git' | 'username', unknown>>>

/** Secrets replace variables of the same name, and a sandbox needs these itself. */
const neededInside = new Set(['PATH', 'HOME'])

/** `farhand secret set`: keeps a secret of a project. The user types the value hidden, or pipes it in; it is never an argument. */
export const setSecretCommand = (name: string, flags: SecretFlags, context: CommandContext) =>
  withProject(flags, context, 'make', async (hub, project) => {
    const said = SecretName.safeParse(name)
    if (!said.success)
      throw new Trouble(
        'usage',
        `${name.slice(0, 40)} cannot be the name of a variable.`,
        'Letters, digits and _, and no digit first: NPM_TOKEN.',
      )
    if (flags.git === undefined && neededInside.has(name))
      throw new Trouble(
        'usage',
        `${name} cannot be a secret: every sandbox needs its own.`,
        'Give it another name.',
      )
    if (flags.username !== undefined && flags.git === undefined)
      throw new Trouble('usage', '--username goes with --git.', 'Say for which addresses: --git https://...')
    const value = await typedOrPiped(name, context)
    if (value === null) return
    const secret: NewSecret =
      flags.git === undefined
        ? { value }
        : {
            value,
            kind: 'git',
            remote: String(flags.git),
            ...(flags.username !== undefined && { username: String(flags.username) }),
          }
    const kept = await putSecret(hub, project.id, said.data, secret, { signal: context.stop, patienceMs })
    if (flags.json) return context.out(`${JSON.stringify({ event: 'kept', project: project.id, ...kept })}\n`)
    context.note(`${keptInWords(kept, project, context)}\n`)
    if (value.length < 6)
      context.note('It has fewer than 6 characters, so it is not hidden in what agents say.\n')
  })

/** `farhand secret ls`: lists the names of a project's secrets; their values cannot be read. */
export const listSecretsCommand = (flags: SecretFlags, context: CommandContext) =>
  withProject(flags, context, 'find', async (hub, project) => {
    const secrets = await listSecrets(hub, project.id, { signal: context.stop, patienceMs })
    if (flags.json)
      return context.out(
        secrets.map((one) => `${JSON.stringify({ project: project.id, ...one })}\n`).join(''),
      )
    if (secrets.length === 0)
      return context.out(
        `${pathInWords(project.name)} has no secrets. Keep one: ${context.called.farhand} secret set NPM_TOKEN\n`,
      )
    const width = Math.max(...secrets.map(({ name }) => name.length))
    for (const { name, remote, updatedAt } of secrets)
      context.out(
        `${name.padEnd(width)}  ${updatedAt.slice(0, 10)}  ${remote ? `for git at ${remote}` : 'variable'}\n`,
      )
  })

/** `farhand secret rm`: deletes a secret of a project. */
export const removeSecretCommand = (given: string | undefined, flags: SecretFlags, context: CommandContext) =>
  withProject(flags, context, 'find', async (hub, project) => {
    const kept =
      given === undefined ? await listSecrets(hub, project.id, { signal: context.stop, patienceMs }) : []
    const among = kept.map(({ name, remote }) => ({
      name,
      says: remote ? `for git at ${remote}` : 'variable',
    }))
    const none = `${project.name} keeps none; --project names another project.`
    const name = await nameOrChoice(given, { what: 'secret', among, none, json: flags.json }, context)
    await deleteSecret(hub, project.id, encodeURIComponent(name), { signal: context.stop, patienceMs })
    if (flags.json) context.out(`${JSON.stringify({ event: 'forgotten', project: project.id, name })}\n`)
    else
      context.note(
        `${name} of ${pathInWords(project.name)} is forgotten. A sandbox that has it keeps it until it ends.\n`,
      )
  })

async function withProject(
  flags: SecretFlags,
  context: CommandContext,
  missing: 'make' | 'find',
  act: (hub: Hub, project: Project) => Promise<void>,
): Promise<void> {
  await withJsonErrors(flags, context, async () => {
    const hub = await hubAccess(flags, new StateFolder(stateFolderPath(flags.state, context)), context)
    try {
      await act(hub, await projectOf(hub, flags.project, missing, context))
    } catch (error) {
      if (context.stop.aborted) return
      throw hubTrouble(error, hub.url, context) ?? error
    }
  })
}

/** The project that the user named, else the one with the folder's name, in which `run` begins its runs. */
async function projectOf(
  hub: Hub,
  said: unknown,
  missing: 'make' | 'find',
  { cwd, stop, called }: CommandContext,
): Promise<Project> {
  const named = said === undefined ? basename(realpathSync(cwd)) : String(said)
  const found = await projectNamed(hub, named, stop)
  if (found) return found
  if (said === undefined && missing === 'make' && named !== '')
    return createProject(hub, { name: named }, { signal: stop, patienceMs })
  throw new Trouble(
    'usage',
    `There is no project ${named || 'for this folder'}.`,
    `Name one with --project, or begin a run in its folder first: ${called.farhand} run`,
  )
}

async function typedOrPiped(name: string, context: CommandContext): Promise<string | null> {
  const { askHidden, stop, called } = context
  const value = askHidden ? await askHidden(`${name}: `, stop) : await pipedText(context)
  if (value === undefined)
    throw new Trouble(
      'usage',
      'There is no terminal to ask for the value.',
      `Pipe it in: ${called.farhand} secret set ${name} < file`,
    )
  if (value === '')
    throw new Trouble('usage', 'The value is empty.', `\`${called.farhand} secret rm ${name}\` forgets one.`)
  if (value !== null && Buffer.byteLength(value) > secretLimits.valueBytes)
    throw new Trouble(
      'usage',
      `The value is too large: a secret has at most ${secretLimits.valueBytes / 1024} KiB.`,
      'Keep a key to it here, and the rest in a file.',
    )
  return value
}

function keptInWords({ name, remote }: ListedSecret, project: Project, { called }: CommandContext): string {
  if (remote !== undefined)
    return `${name} is kept for ${project.name}. The hub shows it at ${remote}; no sandbox gets to see it.`
  return `${name} is kept for ${project.name}. Give it to a run by its name: ${called.farhand} run --secret ${name} ...`
}
