import { listTokens, revokeToken } from '@farhand/client/resources/accounts'
import type { ListedToken } from '@farhand/protocol/schemas/accounts'
import { agoInWords } from '@farhand/story/wording/ago-in-words'
import { useState } from 'react'
import { pageHub } from '../sign-in/session.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { toast } from '../ui/toasts.ts'
import css from './account.module.css'
import { AskedList } from './asked-list.tsx'
import { useList } from './use-list.ts'

const ask = () => listTokens(pageHub, { patienceMs: 0 })

/** The user's tokens, with a button to revoke each. */
export function TokensPart() {
  const [tokens, again] = useList(ask)
  const [leaving, setLeaving] = useState<ListedToken | null>(null)
  const revoke = async ({ id, name }: ListedToken) => {
    setLeaving(null)
    try {
      await revokeToken(pageHub, id, { patienceMs: 3000 })
      toast(`The token ${name} is revoked.`)
    } catch {
      toast(`The token ${name} could not be revoked.`, { tone: 'bad' })
    }
    await again()
  }
  return (
    <section className={css.part} aria-labelledby="settings-tokens">
      <h2 id="settings-tokens">Tokens</h2>
      <p className={css.soft}>
        Programs and commands use them in your name. The operator of the hub makes new ones.
      </p>
      <AskedList list={tokens} none="You have no tokens." onRetry={() => void again()}>
        {(token) => (
          <li key={token.id} className={css.row}>
            <p className={css.what}>
              <bdi>{token.name}</bdi>
              <span className={css.when}>{inWords(token, Date.now())}</span>
            </p>
            <Button
              as="danger"
              isSmall
              onClick={() => setLeaving(token)}
              aria-label={`Revoke token ${token.name}`}
            >
              Revoke
            </Button>
          </li>
        )}
      </AskedList>
      {leaving && (
        <Dialog
          title={`Revoke the token ${leaving.name}?`}
          onClose={() => setLeaving(null)}
          buttons={
            <>
              <Button onClick={() => setLeaving(null)}>Keep it</Button>
              <Button as="danger" isGuarded onClick={() => void revoke(leaving)}>
                Revoke
              </Button>
            </>
          }
        >
          <p>What uses it is refused from now on. That cannot be undone; a new token has another text.</p>
        </Dialog>
      )}
    </section>
  )
}

function inWords({ createdAt, lastUsedAt, expiresAt }: ListedToken, nowMs: number): string {
  const day = (time: string) => new Date(time).toLocaleDateString('en', { dateStyle: 'medium' })
  const ago = lastUsedAt === null ? null : agoInWords(lastUsedAt, nowMs)
  const used = ago === null ? 'never used' : ago === 'now' ? 'used just now' : `last used ${usedInWords(ago)}`
  const isOver = expiresAt !== null && Date.parse(expiresAt) <= nowMs
  const ends = expiresAt === null ? 'does not expire' : `${isOver ? 'expired' : 'expires'} ${day(expiresAt)}`
  return `made ${day(createdAt)}, ${used}, ${ends}`
}

const usedInWords = (ago: string) => (/^\d{4}-/.test(ago) ? `on ${ago}` : `${ago} ago`)
