import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { Trouble } from '../trouble/trouble.ts'
import { type AllowList, nothingAllowed, parseAllowList, printAllowList } from './allow-list.ts'

const fileIn = (stateFolderPath: string) => path.join(stateFolderPath, 'bring.json')

/** What the user chose to bring; empty if they have not chosen anything yet. */
export function readBringList(stateFolderPath: string): AllowList {
  const file = fileIn(stateFolderPath)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return nothingAllowed
    throw error
  }
  const list = parseAllowList(text)
  if (list) return list
  throw new Trouble('failed', `${file} cannot be read.`, 'Remove it, and choose again what to bring.')
}

export function writeBringList(stateFolderPath: string, list: AllowList): void {
  const file = fileIn(stateFolderPath)
  mkdirSync(stateFolderPath, { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, printAllowList(list), { mode: 0o600 })
  renameSync(draft, file)
}
