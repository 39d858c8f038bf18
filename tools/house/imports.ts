import type { Source } from './source.ts'

/** One import as it stands in a file: from where, on which line, which names it lists, and whether only types come with it. */
export type Import = { from: string; line: number; names: string[]; typeOnly: boolean }

// Between the keyword and the string stand only names, braces and stars; anything else is not an import. Biome puts
// each at the start of a line, so what stands in a comment or in a string is not taken for one.
const statement = /^(?:import|export)\b(\s+type\b)?(?:[\w$\s{},*]*\bfrom)?\s*['"]([^'"\n]+)['"]/gm
const call = /\b(?:import|require)\(\s*['"]([^'"\n]+)['"]\s*\)/g

/** All imports of a file: static, re-exporting, dynamic. */
export function importsOf({ text }: Source): Import[] {
  const found: Import[] = []
  for (const match of text.matchAll(statement)) {
    const names = /\{([^}]*)\}/.exec(match[0])?.[1]?.match(/[\w$]+/g) ?? []
    const line = lineAt(text, match.index)
    found.push({ from: match[2] ?? '', line, names: [...names], typeOnly: match[1] !== undefined })
  }
  for (const match of text.matchAll(call)) {
    if (/^\s*(\/\/|\*)/.test(lineOf(text, match.index))) continue
    found.push({ from: match[1] ?? '', line: lineAt(text, match.index), names: [], typeOnly: false })
  }
  return found.sort((a, b) => a.line - b.line)
}

const lineAt = (text: string, index: number) => text.slice(0, index).split('\n').length
const lineOf = (text: string, index: number) => text.slice(text.lastIndexOf('\n', index - 1) + 1, index)
