import { asksToRun, edits, plans, reads, runs, type Scenes, says, searches, spends, thinks } from './scene.ts'

const before = `import type { Discount, Item } from './item.ts'

/** What a customer pays for one line of the cart. */
export function linePrice(item: Item, discount?: Discount): number {
  const price = item.price * item.quantity
  if (!discount) return price
  return +(price - price * discount.percent / 100).toFixed(2)
}

/** What a customer pays for everything. */
export function cartPrice(items: Item[], discount?: Discount): number {
  let sum = 0
  for (const item of items) sum += linePrice(item, discount)
  return sum
}

export function inWords(price: number): string {
  return '€' + price.toFixed(2)
}
`

const after = `import { type Cents, cents, percentOf, sumOf } from './cents.ts'
import type { Discount, Item } from './item.ts'

/** What a customer pays for one line of the cart. */
export function linePrice(item: Item, discount?: Discount): Cents {
  const price = cents(item.price * item.quantity)
  if (!discount) return price
  return cents(price - percentOf(price, discount.percent))
}

/** What a customer pays for everything. */
export function cartPrice(items: Item[], discount?: Discount): Cents {
  return sumOf(items.map((item) => linePrice(item, discount)))
}

export function inWords(price: Cents): string {
  return \`€\${(price / 100).toFixed(2)}\`
}
`

const rounded = `declare const unit: unique symbol

/** Money in whole cents: fractions of them are rounded once, and never added up. */
export type Cents = number & { [unit]: 'cents' }

export const cents = (amount: number): Cents => Math.round(amount) as Cents

export const percentOf = (price: Cents, percent: number): Cents =>
  cents((price * percent) / 100)

export const sumOf = (all: readonly Cents[]): Cents =>
  all.reduce((sum, one) => sum + one, 0) as Cents
`

const generous = rounded.replace(
  /export const percentOf[\s\S]*?100\)\n/,
  `/** Half a cent goes to the customer. */
export const percentOf = (price: Cents, percent: number): Cents =>
  Math.ceil((price * percent) / 100 - 0.5) as Cents
`,
)

const test = `import { expect, it } from 'vitest'
import { cents } from '../src/cart/cents.ts'
import { cartPrice, linePrice } from '../src/cart/price.ts'

const item = (price: number, quantity = 1) => ({ name: 'Cup', price: cents(price), quantity })

it.each([
  [1005, 10, 904],
  [333, 15, 283],
  [1999, 33, 1339],
])('%i cents less %i %% are %i cents', (price, percent, expected) => {
  expect(linePrice(item(price), { percent })).toBe(expected)
})

it('a cart costs what its lines cost', () => {
  const cart = [item(333, 3), item(1005), item(1999)]
  expect(cartPrice(cart, { percent: 15 })).toBe(849 + 854 + 1699)
})
`

const item = `import type { Cents } from './cents.ts'

export type Item = { name: string; price: Cents; quantity: number }
export type Discount = { percent: number }
`

const answer = `The cause is in \`src/cart/price.ts\`: each line was rounded with \`toFixed\`, which works on binary fractions, and then \`cartPrice\` added up what was left of them. **Prices are whole cents now**, with a type of their own, so that the compiler refuses to mix them with euros:

\`\`\`ts
export type Cents = number & { [unit]: 'cents' }

export const cents = (amount: number): Cents => Math.round(amount) as Cents
\`\`\`

What becomes of exactly half a cent is for you to say; at the moment the shop keeps it. Some prices with a discount:

| price | discount | before | now |
|---|--:|--:|--:|
| €10.05 | 10 % | €9.05 | **€9.04** |
| €3.33 | 15 % | €2.83 | €2.83 |
| €19.99 | 33 % | €13.40 | **€13.39** |`

const passed = (count: number) =>
  ` ✓ test/price.test.ts (${count - 44} tests) 6ms
 ✓ test/cart.test.ts (19 tests) 41ms
 ✓ test/checkout.test.ts (25 tests) 212ms

      Tests  ${count} passed (${count})`

const plan = [
  'Find where discounts are calculated',
  'Reproduce the wrong cent in a test',
  'Calculate in whole cents',
  'Run all tests',
  'Open a pull request',
]

/** A mistake that is found, mended and tested; the agent waits for leave to push. */
export const priceScenes: Scenes = {
  project: 'webshop',
  title: 'Prices are off by a cent',
  agent: 'claude',
  minutesAgo: 1,
  ends: 'asks',
  files: {
    'README.md': '# Webshop\n\nCups, plates and what goes with them.\n',
    'package.json': '{\n  "name": "webshop",\n  "type": "module"\n}\n',
    'src/cart/item.ts': item
      .replace("import type { Cents } from './cents.ts'\n\n", '')
      .replace('Cents', 'number'),
    'src/cart/price.ts': before,
    'src/main.ts': "import './cart/price.ts'\n",
    'docs/cart.md': '# Cart\n',
  },
  offers: {
    modes: {
      currentModeId: 'edits',
      availableModes: [
        { id: 'ask', name: 'Ask first', description: 'Asks before each edit' },
        { id: 'edits', name: 'Accept edits', description: 'Edits by itself, asks before commands' },
        { id: 'plan', name: 'Plan', description: 'Only looks, and plans' },
      ],
    },
  },
  turns: [
    {
      message:
        'With some discounts the total in the cart is off by a cent. Find out why and fix it, with tests.',
      steps: [
        plans(plan, 0),
        thinks(
          'A cent too much or too little smells of floating point. First I look for who rounds, then I want a test that fails.',
        ),
        ...searches(
          'toFixed|Math.round',
          'src/cart/price.ts:7\nsrc/cart/price.ts:18\nsrc/checkout/receipt.ts:31',
        ),
        ...reads('src/cart/price.ts', before),
        plans(plan, 1),
        ...edits('test/price.test.ts', null, test),
        plans(plan, 2),
        ...edits('src/cart/cents.ts', null, rounded),
        { is: 'write', path: 'src/cart/item.ts', text: item },
        ...edits('src/cart/price.ts', before, after),
        plans(plan, 3),
        ...runs('npm test', passed(48)),
        plans(plan, 4),
        says(answer),
        spends(38_400, 200_000, 0.31),
      ],
      usage: { inputTokens: 36_100, outputTokens: 2_300, totalTokens: 38_400 },
    },
    {
      message: 'Good find. Half a cent goes to the customer. Then open a pull request.',
      steps: [
        ...edits('src/cart/cents.ts', rounded, generous),
        ...runs('npm test', passed(49), 0, 1200),
        ...asksToRun('git push -u origin exact-prices', 'Always allow git push'),
      ],
    },
  ],
}
