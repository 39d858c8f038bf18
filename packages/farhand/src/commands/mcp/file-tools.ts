import { downloadPlace } from '@farhand/device/delegation/download-place'
import { listTaskFiles, readTaskFile } from '@farhand/device/delegation/task-files'
import { leftOut } from '@farhand/device/delegation/trusted-names'
import { linkableFolder } from '@farhand/device/linked-folders/linkable-folder'
import { pullRun } from '@farhand/device/pull/pull-run'
import { Trouble } from '@farhand/device/trouble/trouble'
import { pathInWords } from '@farhand/device/wording/path-in-words'
import { StateFolder } from '@farhand/sync/state/state-folder'
import type { McpServer, ServerContext } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { CommandContext } from '../../context/command-context.ts'
import { capabilitiesOf } from './ask-user.ts'
import { askRoots, rootsOf } from './host-roots.ts'
import type { ReachHub } from './reach-hub.ts'
import { taskIdIn } from './task-id.ts'
import { fenced } from './task-in-words.ts'
import { answered, said } from './tool-answer.ts'

const mostListed = 300
const mostReadBytes = 1024 * 1024
const mostShown = 40_000

const task_id = z.string().describe('The id that cloud_agent returned.')

type Parts = { state: string; context: CommandContext }

/** The tools with which an agent looks at the files that a task has made, and has them put into a folder. */
export function addFileTools(server: McpServer, reach: ReachHub, { state, context }: Parts): void {
  server.registerTool(
    'cloud_agent_files',
    {
      title: 'List the files of a cloud agent',
      description:
        'Lists the files that the agent of a delegated task has made or changed, with their sizes.',
      inputSchema: z.object({ task_id }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ task_id }, ctx) =>
      answered(async () => {
        const files = await listTaskFiles(await runOf(task_id, ctx))
        if (files.length === 0) return said('It has made no files.')
        const shown = files.slice(0, mostListed)
        const lines = shown.map(
          ({ path, size, isLink }) =>
            `${pathInWords(path)}${isLink ? '  (symlink)' : size === null ? '' : `  ${size} bytes`}`,
        )
        const more = files.length > shown.length ? [`and ${files.length - shown.length} more`] : []
        return said(fenced([...lines, ...more].join('\n')))
      }, reach),
  )

  server.registerTool(
    'cloud_agent_read',
    {
      title: 'Read a file of a cloud agent',
      description:
        'Shows a text file that the agent of a delegated task has made. Nothing is written on this computer.',
      inputSchema: z.object({
        task_id,
        path: z.string().min(1).describe('As cloud_agent_files has it.'),
        offset: z.number().int().min(0).default(0).describe('Where to go on in a long file, in characters.'),
      }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ task_id, path, offset }, ctx) =>
      answered(async () => {
        const bytes = await readTaskFile(await runOf(task_id, ctx), path, mostReadBytes)
        const text = textIn(bytes)
        if (text === null)
          return said(
            `${pathInWords(path)} is no text (${bytes.length} bytes). cloud_agent_download gets it.`,
          )
        const shown = text.slice(offset, offset + mostShown)
        const end = offset + shown.length
        const rest =
          end < text.length ? `\n${text.length - end} characters more: go on with offset ${end}.` : ''
        return said(`${fenced(shown)}${rest}`)
      }, reach),
  )

  server.registerTool(
    'cloud_agent_download',
    {
      title: 'Download the files of a cloud agent',
      description:
        'Puts files of a delegated task into a folder of this computer that is new, empty, or from an earlier download. ' +
        'They come from a sandbox: look at them before anything runs them. Files that programs trust where they find them ' +
        '(names that begin with a dot, AGENTS.md, node_modules) are left out unless `paths` has that very file.',
      inputSchema: z.object({
        task_id,
        paths: z.array(z.string().min(1)).max(1_000).default([]).describe('Files and folders; all if none.'),
        into: z
          .string()
          .optional()
          .describe('A new folder inside the project; default: cloud-agent/ and the id of the task.'),
      }),
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    },
    ({ task_id, paths, into }, ctx) =>
      answered(async () => {
        const roots = rootsOf(ctx)
        if (roots === null && capabilitiesOf(server, ctx).roots) return askRoots()
        const { hub, at, signal } = await runOf(task_id, ctx)
        const place = downloadPlace({
          into: into ?? `cloud-agent/${task_id}`,
          roots: roots && roots.length > 0 ? roots : [context.cwd],
          ...{ home: context.home, run: at.run, state },
        })
        const folder = await linkableFolder(place, state, { ...context, mayMake: async () => true })
        if (folder !== place)
          throw new Trouble('failed', `${place} was replaced by a symlink meanwhile.`, 'Look at it.')
        const pulled = await pullRun(
          {
            ...{ hub, at, folder, paths, cwd: folder, link: null, isLeftOut: leftOut(paths) },
            ...{ state: new StateFolder(state), insists: false, isDry: false },
          },
          {
            ...{ env: context.env, home: context.home, stop: signal, onPlan() {} },
            ...{ whileReading: (act) => act(), whileScanning: (act) => act() },
          },
        )
        if (pulled.is === 'in-step') return said(`${folder} is kept in sync with the task already.`)
        const { plan, failed } = pulled
        const came = plan.brought.filter(({ to }) => to !== null).length - failed.length
        const trusted = pulled.leftOut.map((path) => `${pathInWords(path)}: is left out`)
        const left = [
          ...plan.left.map(({ path }) => `${pathInWords(path)}: was changed here, and is left as it is`),
          ...failed.map(({ path, why }) => `${pathInWords(path)}: ${why}`),
          ...trusted.slice(0, mostListed),
        ]
        const unchanged = plan.same > 0 ? ` ${plan.same} were there already.` : ''
        const lines = [`${came} files are in ${folder} now.${unchanged}`]
        if (trusted.length > 0)
          lines.push(
            `${trusted.length} are left out, as programs take settings, instructions or code from files with such names; ` +
              'if the user wants one, ask for that file in `paths`.',
          )
        if (left.length > 0) lines.push(fenced(left.join('\n')))
        return said(lines.join('\n'))
      }, reach),
  )

  async function runOf(id: string, ctx: ServerContext) {
    const { hub, tasks } = await reach()
    const { signal } = ctx.mcpReq
    const { run } = await tasks.get(taskIdIn(id), { signal })
    return { hub, at: run, signal }
  }
}

/** The text of a file; null if it is none. */
function textIn(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}
