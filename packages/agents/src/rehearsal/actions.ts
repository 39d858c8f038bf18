import { appendFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { ToolCallContent } from '@agentclientprotocol/sdk'
import { runCommand } from '../run-command.ts'
import { textContent } from '../text-content.ts'
import type { Stage } from './stage.ts'
import { type Action, wordsOf } from './step.ts'
import type { Call, Outcome } from './tool-call.ts'
import { workspacePath } from './workspace-path.ts'

// Hosts store whole tool calls; contents of megabytes are not what a rehearsal is for.
const mostShown = 64 * 1_024
const showEveryMs = 100

/** The tool call that performs an action in the workspace. */
export function callOf(action: Action, stage: Stage, asksFirst: boolean): Call {
  const { cwd } = stage.session
  const at = (name: string) => workspacePath(cwd, name)
  const place = (name: string) => path.resolve(cwd, name)
  const { do: _, ...rawInput } = action
  const known = { asksFirst, rawInput }
  switch (action.do) {
    case 'write':
      return {
        ...known,
        words: `write ${action.path}`,
        kind: 'edit',
        paths: [place(action.path)],
        work: async () => write(await at(action.path), action.path, wordsOf(action.filling)),
      }
    case 'append':
      return {
        ...known,
        words: `append to ${action.path}`,
        kind: 'edit',
        paths: [place(action.path)],
        work: async () => append(await at(action.path), action.path, `${action.text}\n`),
      }
    case 'delete':
      return {
        ...known,
        words: `delete ${action.path}`,
        kind: 'delete',
        paths: [place(action.path)],
        work: async () => {
          await rm(await at(action.path))
          return { words: `deleted ${action.path}`, content: [] }
        },
      }
    case 'rename':
      return {
        ...known,
        words: `rename ${action.from} to ${action.to}`,
        kind: 'move',
        paths: [place(action.from), place(action.to)],
        work: async () => {
          const to = await at(action.to)
          await mkdir(path.dirname(to), { recursive: true })
          await rename(await at(action.from), to)
          return { words: `renamed ${action.from} to ${action.to}`, content: [] }
        },
      }
    case 'run':
      return {
        ...known,
        words: `run \`${action.command}\``,
        kind: 'execute',
        paths: [],
        work: (show) => run(action.command, stage, show),
      }
  }
}

/** The tool call that reads a file of the workspace. */
export function readingOf(name: string, stage: Stage): Call {
  const { cwd } = stage.session
  return {
    words: `read ${name}`,
    kind: 'read',
    paths: [path.resolve(cwd, name)],
    rawInput: { path: name },
    asksFirst: false,
    work: async () => {
      const bytes = await readFile(await workspacePath(cwd, name))
      const content = [textContent(bytes.subarray(0, mostShown).toString('utf8'))]
      return { words: `read ${name} (${count(bytes.length, 'byte')})`, content }
    },
  }
}

async function write(file: string, name: string, newText: string): Promise<Outcome> {
  const oldText = await readFile(file, 'utf8').catch(() => null)
  await mkdir(path.dirname(file), { recursive: true })
  await writeFile(file, newText)
  return {
    words: `wrote ${name} (${count(Buffer.byteLength(newText), 'byte')})`,
    content: changeShown(file, oldText, newText),
  }
}

async function append(file: string, name: string, text: string): Promise<Outcome> {
  const oldText = await readFile(file, 'utf8').catch(() => null)
  await mkdir(path.dirname(file), { recursive: true })
  await appendFile(file, text)
  return {
    words: `appended ${count(Buffer.byteLength(text), 'byte')} to ${name}`,
    content: changeShown(file, oldText, (oldText ?? '') + text),
  }
}

function changeShown(file: string, oldText: string | null, newText: string): ToolCallContent[] {
  if (Math.max(oldText?.length ?? 0, newText.length) > mostShown)
    return [textContent(`${newText.length} characters, too many to show`)]
  return [{ type: 'diff', path: file, oldText, newText }]
}

async function run(
  command: string,
  stage: Stage,
  show: (content: ToolCallContent[]) => Promise<void>,
): Promise<Outcome> {
  let output = ''
  let isNews = false
  const tell = setInterval(() => {
    // Each update repeats all output: one per line would flood the host.
    if (isNews) void show([textContent(output)]).catch(() => {})
    isNews = false
  }, showEveryMs)
  try {
    const { code, signal } = await runCommand(command, {
      shell: 'sh',
      leavesRest: true,
      cwd: stage.session.cwd,
      signal: stage.turn.signal,
      heard: (text) => {
        output = (output + text).slice(-mostShown)
        isNews = true
      },
    })
    stage.turn.signal.throwIfAborted()
    return {
      words: `ran \`${command}\`: ${code === null ? `ended by ${signal}` : `exit code ${code}`}`,
      failed: code !== 0,
      content: output === '' ? [] : [textContent(output)],
      rawOutput: { exitCode: code, signal },
    }
  } finally {
    clearInterval(tell)
  }
}

function count(amount: number, thing: string): string {
  return `${amount} ${thing}${amount === 1 ? '' : 's'}`
}
