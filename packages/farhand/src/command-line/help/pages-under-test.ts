/** Where a page leads to, but for other sites: links and pictures, as they are written, with their anchors. */
export function linksOf(markdown: string): string[] {
  const text = withoutCode(markdown)
  const inBrackets = [...text.matchAll(/\]\(<?([^)\s>]+)[^)]*\)/g)]
  const inMarkup = [...text.matchAll(/\b(?:src|srcset|href)="([^"\s]+)/g)]
  return [...inBrackets, ...inMarkup]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z][a-z+.-]*:/i.test(target))
}

/** The anchors of a page, as GitHub makes them of its headings. */
export function anchorsOf(markdown: string): string[] {
  const headings = [...withoutBlocks(markdown).matchAll(/^#{1,6} +(.*?) *#*$/gm)]
  const seen = new Map<string, number>()
  return headings.map(([, heading = '']) => {
    const anchor = anchorOf(heading)
    const before = seen.get(anchor) ?? 0
    seen.set(anchor, before + 1)
    return before === 0 ? anchor : `${anchor}-${before}`
  })
}

const anchorOf = (heading: string): string =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')

/** The calls of `farhand` in the blocks that a reader types, each as the words after its name. */
export function typedCallsOf(markdown: string): string[][] {
  const blocks = [...markdown.matchAll(/^```console\n([\s\S]*?)^```$/gm)]
  return blocks.flatMap(([, block = '']) => block.split('\n').flatMap((line) => callsIn(line)))
}

/** The calls of `farhand` that stand within sentences: what is in <angle brackets> is anything. */
export function mentionedCallsOf(markdown: string): string[][] {
  const spans = [...withoutBlocks(markdown).matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span)
  return spans.flatMap((span) => callsIn(span.replace(/<[^>]*>/g, anything)))
}

/** Stands for what a sentence leaves open. */
export const anything = 'ANYTHING'

/** The names after `npm run`, in the whole text. */
export const scriptsOf = (markdown: string): string[] =>
  [...markdown.matchAll(/\bnpm run ([\w:-]*\w)/g)].map(([, name = '']) => name)

/** The calls of `farhand` in a line of a shell, also those in pipes and in `$(...)`. */
function callsIn(line: string): string[][] {
  return commandsIn(line).flatMap((words) => {
    const rest = words.slice(words.findIndex((word) => !/^\w+=/.test(word)))
    const [first, second] = rest
    if (first === 'farhand') return [rest.slice(1)]
    return first === 'npx' && second === 'farhand' ? [rest.slice(2)] : []
  })
}

function commandsIn(line: string): string[][] {
  const commands: string[][] = [[]]
  // A word, of which parts may be in quotation marks; a comment; or what ends a command.
  const pieces = /\s+|#.*$|[|&;()<>]|(?:'[^']*'|"(?:\\.|[^"\\])*"|\$(?!\()|\\.|[^\s|&;()<>'"\\$])+|\$/gy
  for (const [piece] of line.matchAll(pieces)) {
    if (piece.startsWith('#')) break
    if (/^([|&;()<>]|\$)$/.test(piece)) commands.push([])
    else if (piece.trim() !== '') commands.at(-1)?.push(unquoted(piece))
  }
  return commands.filter((words) => words.length > 0)
}

const unquoted = (word: string): string => word.replace(/^(['"])(.*)\1$/, '$2')

const withoutBlocks = (markdown: string): string => markdown.replace(/^ *```[\s\S]*?^ *```$/gm, '')

const withoutCode = (markdown: string): string => withoutBlocks(markdown).replace(/`[^`\n]*`/g, '')
