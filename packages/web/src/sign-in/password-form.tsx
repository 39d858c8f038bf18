import { signInWays } from '@farhand/client/resources/accounts'
import { type FormEvent, useEffect, useId, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { pageHub, signInWith } from './session.ts'
import css from './sign-in.module.css'

/** Asks for user name and password, if the hub takes them over this connection; else it says why not. */
export function PasswordForm() {
  const [is, setIs] = useState<'unknown' | 'taken' | 'not-taken'>('unknown')
  const [username, setUser] = useState('')
  const [password, setPassword] = useState('')
  const [isTrying, setTrying] = useState(false)
  const [userId, passwordId] = [useId(), useId()]
  useEffect(() => {
    // An older hub has no answer, and takes no passwords.
    void signInWays(pageHub, { patienceMs: 0 }).then(
      (ways) => setIs(ways.password ? 'taken' : 'not-taken'),
      () => {},
    )
  }, [])
  if (is === 'unknown') return null
  if (is === 'not-taken')
    return <p className={css.soft}>This hub takes passwords over https only, and this page came over http.</p>
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setTrying(true)
    await signInWith({ username: username.trim(), password })
    setTrying(false)
  }
  return (
    <form className={css.form} onSubmit={submit}>
      <p>Or with your user name and password:</p>
      <label htmlFor={userId}>User name</label>
      <input
        id={userId}
        value={username}
        onChange={(event) => setUser(event.target.value)}
        autoComplete="username"
        autoCapitalize="none"
        autoCorrect="off"
        spellCheck={false}
        maxLength={100}
      />
      <label htmlFor={passwordId}>Password</label>
      <input
        id={passwordId}
        type="password"
        value={password}
        onChange={(event) => setPassword(event.target.value)}
        autoComplete="current-password"
        enterKeyHint="go"
        maxLength={1024}
      />
      <div className={css.row}>
        <Button type="submit" disabled={isTrying || username.trim() === '' || password === ''}>
          {isTrying ? 'Signing in…' : 'Sign in with password'}
        </Button>
      </div>
    </form>
  )
}
