import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import { z } from 'zod'

/** Who answers the questions of an agent that works on a request: the user, wherever they are, or a rule. */
export const QuestionRule = z.enum(['ask', 'deny', 'allow'])
export type QuestionRule = z.infer<typeof QuestionRule>

/** What this computer's user allows requests of one hub. Only a command on this computer writes it. */
export const ServeSettings = z.object({
  isOn: z.boolean(),
  url: z.string(),
  workspace: z.string(),
  agent: z.string(),
  questions: QuestionRule,
})
export type ServeSettings = z.infer<typeof ServeSettings>

export const servingFolder = (state: string) => path.join(path.resolve(state), 'requests')

const settingsFile = (state: string) => path.join(servingFolder(state), 'settings.json')

/** Null if the user has never allowed requests here. */
export function readServeSettings(state: string): ServeSettings | null {
  try {
    return ServeSettings.parse(JSON.parse(readFileSync(settingsFile(state), 'utf8')))
  } catch {
    // Not there, or not ours.
    return null
  }
}

export function writeServeSettings(state: string, settings: ServeSettings): void {
  writeDurably(settingsFile(state), settings)
}

/** When it returns, the file survives a crash of the machine. */
export function writeDurably(file: string, value: unknown): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}.draft`
  const open = openSync(draft, 'w', 0o600)
  try {
    writeSync(open, `${JSON.stringify(value)}\n`)
    fsyncSync(open)
  } finally {
    closeSync(open)
  }
  renameSync(draft, file)
  syncFolder(path.dirname(file))
}

export function removeFile(file: string): void {
  rmSync(file, { force: true })
}

function syncFolder(folder: string): void {
  // Windows cannot open a folder, and does not need this.
  if (process.platform === 'win32') return
  const open = openSync(folder, 'r')
  try {
    fsyncSync(open)
  } finally {
    closeSync(open)
  }
}
