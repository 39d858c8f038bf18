import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { ToolCallContent } from '@agentclientprotocol/sdk'
import { z } from 'zod'
import { textContent } from '../../text-content.ts'
import { edited } from './edited.ts'
import { isOfGit, pathInside } from './path-inside.ts'
import { readText } from './read-text.ts'
import { type Place, type Prepared, tool } from './tool.ts'

// Hosts store whole tool calls, and users do not read diffs of megabytes.
const mostShown = 200_000

/** Tools that change files of the workspace. */
export const editTools = [
  tool({
    name: 'write',
    description:
      'Writes a whole text file of the workspace, with the folders it needs. To change a file, use edit.',
    input: z.object({ path: z.string().describe('relative to the workspace'), text: z.string() }),
    kind: 'edit',
    need: 'edit',
    title: (input) => `Write ${input.path}`,
    paths: (input) => [input.path],
    prepare: (input, place) => change(input.path, place, () => input.text),
  }),
  tool({
    name: 'edit',
    description: 'Replaces a passage of a text file. oldText must be in the file exactly once.',
    input: z.object({
      path: z.string().describe('relative to the workspace'),
      oldText: z.string().describe('the passage as it is, with its white space'),
      newText: z.string().describe('what it becomes'),
      replaceAll: z.boolean().optional().describe('replace every passage that is like oldText'),
    }),
    kind: 'edit',
    need: 'edit',
    title: (input) => `Edit ${input.path}`,
    paths: (input) => [input.path],
    prepare: (input, place) =>
      change(input.path, place, (before) => {
        if (before === null) throw new Error(`There is no file ${input.path}: write it`)
        return edited(before, input)
      }),
  }),
]

async function change(
  name: string,
  { cwd }: Place,
  changed: (before: string | null) => string,
): Promise<Prepared> {
  const file = await pathInside(cwd, name)
  const before = await readText(file, name)
  const after = changed(before)
  return {
    content: diffOf(file, before, after),
    ...((await isOfGit(file)) && { need: 'shell' as const }),
    run: async () => {
      // The file, or where its folder leads, may have changed while the user considered the question.
      if ((await readText(await pathInside(cwd, name), name)) !== before)
        throw new Error(`${name} has changed in the meantime: read it again`)
      await mkdir(path.dirname(file), { recursive: true })
      await writeFile(file, after)
      return {
        text: `${before === null ? 'Created' : 'Changed'} ${name}.`,
        content: diffOf(file, before, after),
      }
    },
  }
}

function diffOf(file: string, before: string | null, after: string): ToolCallContent[] {
  if (Math.max(before?.length ?? 0, after.length) > mostShown)
    return [textContent(`${after.length} characters, too many to show`)]
  return [{ type: 'diff', path: file, oldText: before, newText: after }]
}
