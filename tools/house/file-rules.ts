import path from 'node:path'
import { isForTests, isTest, placeOf, type Source } from './source.ts'
import { type House, isPure } from './table.ts'

/** What is wrong with a file itself (its name, its length, what it reaches for), each with what to do instead. */
export function fileComplaints(source: Source, house: House): string[] {
  const rules = [
    tooLong,
    badName,
    barrel,
    environment,
    impurity,
    markup,
    sharedHook,
    ownGit,
    impatience,
    endlessWriter,
    elsewhere,
  ]
  return rules.flatMap((rule) => rule(source, house))
}

function tooLong({ path: at, text }: Source, { mostLines }: House): string[] {
  const lines = text.split('\n').length - 1
  if (lines <= mostLines) return []
  return [`${at} has ${lines} lines, ${mostLines} is the end: find the second idea in it and give it a file.`]
}

function badName({ path: at }: Source, { wordsNotUsed }: House): string[] {
  const name = path.posix.basename(at).split('.')[0] ?? ''
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name))
    return [`${at}: write file names in kebab-case, after the main export.`]
  const word = name.split('-').at(-1) ?? ''
  return wordsNotUsed.includes(word)
    ? [`${at}: "${word}" says nothing: name the file after what it holds or decides.`]
    : []
}

function barrel({ path: at, text }: Source): string[] {
  if (at === 'packages/client/src/index.ts' || placeOf({ path: at, text }) === null) return []
  const isBarrel = /(^|\/)index\.tsx?$/.test(at) || /^export \* from/m.test(text)
  return isBarrel ? [`${at} is a barrel: only client has one. Import the file itself.`] : []
}

function environment({ path: at, text }: Source): string[] {
  const place = placeOf({ path: at, text })
  // A test may hand an environment on to the program it starts.
  if (place === null || at.endsWith('/main.ts') || isTest({ path: at, text })) return []
  const line = lineOf(
    text,
    /\bprocess\s*\.\s*env\b|\bimport\s*\{[^}]*\benv\b[^}]*\}\s*from\s*'node:process'|import\.meta\.env/,
  )
  return line === null
    ? []
    : [`${at}:${line} reads the environment: only a main.ts does, and passes settings on.`]
}

function impurity({ path: at, text }: Source, house: House): string[] {
  if (!isPure(at, house) || isTest({ path: at, text })) return []
  const line = lineOf(
    text,
    /\b(Date\.now\(|new Date\(\)|Math\.random\(|setTimeout\(|setInterval\(|fetch\(|process\.|performance\.)/,
  )
  return line === null ? [] : [`${at}:${line} is listed as pure: take time, chance and the world as values.`]
}

/** What agents and files say is shown in a browser: the only ways in which it could become markup are shut here. */
function markup({ path: at, text }: Source): string[] {
  if (!at.startsWith('packages/web/') || isTest({ path: at, text })) return []
  const line = lineOf(
    text,
    /dangerouslySetInnerHTML|\b(inner|outer)HTML\b|insertAdjacentHTML|document\.write|srcdoc|\beval\(|new Function\(/i,
  )
  return line === null ? [] : [`${at}:${line} makes markup of a text: make elements of it.`]
}

/** Several test files are run in one process, where a module that they share is loaded for the first of them only. */
function sharedHook({ path: at, text }: Source): string[] {
  // Vitest runs these anew for each file.
  const isSetup = /\/each-(\w+-)?file\.ts$/.test(at)
  if (at.endsWith('.test.ts') || isSetup) return []
  const line = lineOf(text, /^(before|after)(All|Each)\(/)
  return line === null
    ? []
    : [`${at}:${line} is heard for one test file only: have each call a function that asks for it.`]
}

/** Git runs programs that a repository names: how it is called is decided in one place for each machine. */
function ownGit({ path: at, text }: Source, { startsGit }: House): string[] {
  const isOurs = placeOf({ path: at, text }) !== null && !/^packages\/(testkit|e2e)\//.test(at)
  if (!isOurs || isTest({ path: at, text }) || startsGit.includes(at)) return []
  const line = lineOf(
    text,
    /(?:spawn|spawnSync|exec|execSync|execFile|execFileSync|programAsUser)\)?\(\s*['"`]git\b|\b(?:program|command|file)\b\s*[:=]\s*['"`]git['"`]/,
  )
  return line === null ? [] : [`${at}:${line} starts git by itself: have ${startsGit.join(' or ')} do it.`]
}

/** Without a word about it, these wait for a second: a busy machine needs longer for anything. */
function impatience({ path: at, text }: Source): string[] {
  for (const { 0: call, index } of text.matchAll(/\b(?:vi\s*\.\s*wait(?:For|Until)|expect\s*\.\s*poll)\(/g)) {
    if (argumentsFrom(text.slice(index + call.length)) > 1) continue
    const line = text.slice(0, index).split('\n').length
    return [`${at}:${line} gives up after a second: say for how long it waits, a minute at least.`]
  }
  return []
}

/** Tests share processes, and the port of a hub that has ended is soon that of another test's. */
function endlessWriter(source: Source): string[] {
  const { path: at, text } = source
  if (!isForTests(source)) return []
  const made = [...text.matchAll(/\bnew Producer\([^;]*?\}\)/g)].find(([call]) => !/\bsignal\b/.test(call))
  if (made === undefined) return []
  const line = text.slice(0, made.index).split('\n').length
  return [`${at}:${line} tries for ever: give the writer a signal that ends it with its test.`]
}

/** What tests leave is looked for in the folder for temporary files and the home that they are given. */
function elsewhere(source: Source): string[] {
  if (!isForTests(source)) return []
  const line = lineOf(
    source.text,
    /\b(?:mkdtemp|mkdir|writeFile|join|temporaryFolder)\w*\([^)]*['"`]\/(?:dev\/shm|var\/tmp)\b|\buserInfo\(\)\.homedir/,
  )
  return line === null
    ? []
    : [
        `${source.path}:${line} works outside of the folders that are checked for leftovers: take tmpdir() or homedir().`,
      ]
}

/** How many arguments a call has, of which this is what follows its bracket. */
function argumentsFrom(text: string): number {
  let deep = 0
  let count = 0
  let isBegun = false
  for (const [piece] of text.matchAll(/'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`|[^\s]/g)) {
    if (deep === 0 && /[)\]}]/.test(piece)) break
    if (deep === 0 && piece === ',') {
      isBegun = false
      continue
    }
    if (!isBegun) count += 1
    isBegun = true
    if (/^[([{]$/.test(piece)) deep += 1
    if (/^[)\]}]$/.test(piece)) deep -= 1
  }
  return count
}

function lineOf(text: string, what: RegExp): number | null {
  const at = text.split('\n').findIndex((line) => !/^\s*(\/\/|\*|\/\*)/.test(line) && what.test(line))
  return at < 0 ? null : at + 1
}
