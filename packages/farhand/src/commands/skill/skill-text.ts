import { existsSync, readFileSync } from 'node:fs'

// The sources lie two folders deeper than the file that is built from them.
const file = ['../skills', '../../../skills']
  .map((folder) => new URL(`${folder}/cloud-agent/SKILL.md`, import.meta.url))
  .find((one) => existsSync(one))!

/** The skill that says when to delegate and how, as agents read it. */
export const skillText = (): string => readFileSync(file, 'utf8')
