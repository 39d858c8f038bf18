import { parseAst } from 'vitest/node'

/** @typedef {{ start: number; end: number; to: string; line: number; from: string }} Mutant */

const swapped = new Map([
  ['===', '!=='],
  ['!==', '==='],
  ['<', '<='],
  ['<=', '<'],
  ['>', '>='],
  ['>=', '>'],
  ['+', '-'],
  ['-', '+'],
  ['&&', '||'],
  ['||', '&&'],
  ['??', '&&'],
  ['+=', '-='],
  ['-=', '+='],
  ['??=', '='],
])

/**
 * Every small lie that can be told in this source: conditions turned round or fixed, operators swapped, statements
 * left out, numbers off by one.
 * @param {string} source
 * @returns {Mutant[]}
 */
export function mutantsOf(source) {
  /** @type {Mutant[]} */
  const mutants = []
  /** @param {any} node @param {string} to */
  const lie = (node, to) => {
    const from = source.slice(node.start, node.end)
    const line = source.slice(0, node.start).split('\n').length
    if (from !== to) mutants.push({ start: node.start, end: node.end, to, line, from })
  }
  /** @param {any} node */
  const text = (node) => source.slice(node.start, node.end)
  /** @param {any} node */
  const visit = (node) => {
    if (!node || typeof node.type !== 'string' || node.type.startsWith('TS')) {
      if (node?.type === 'TSNonNullExpression' || node?.type === 'TSAsExpression') visit(node.expression)
      return
    }
    for (const test of [node.test].filter(Boolean)) {
      lie(test, 'true')
      lie(test, 'false')
    }
    switch (node.type) {
      case 'ImportDeclaration':
        return
      case 'BinaryExpression':
      case 'LogicalExpression':
      case 'AssignmentExpression': {
        const to = swapped.get(node.operator)
        if (to) lie(node, `(${text(node.left)} ${to} ${text(node.right)})`)
        if (node.type === 'LogicalExpression') {
          lie(node, text(node.left))
          lie(node, text(node.right))
        }
        break
      }
      case 'UnaryExpression':
        if (node.operator === '!') lie(node, text(node.argument))
        break
      case 'Literal':
        if (typeof node.value === 'boolean') lie(node, String(!node.value))
        if (typeof node.value === 'number') lie(node, String(node.value + 1))
        break
      case 'ExpressionStatement':
        lie(node, ';')
        break
      case 'ReturnStatement':
        if (node.argument === null) lie(node, ';')
        break
    }
    for (const [name, child] of Object.entries(node)) {
      if (name === 'typeAnnotation' || name === 'typeArguments') continue
      for (const one of Array.isArray(child) ? child : [child]) if (one && typeof one === 'object') visit(one)
    }
  }
  for (const statement of parseAst(source, { lang: 'ts' }, 'source.ts').body) visit(statement)
  const seen = new Set()
  return mutants.filter(({ start, end, to }) => {
    const key = `${start} ${end} ${to}`
    return !seen.has(key) && seen.add(key)
  })
}
