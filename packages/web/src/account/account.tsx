import css from './account.module.css'
import { BoundDevices } from './bound-devices.tsx'
import { PasswordPart } from './password-part.tsx'
import { TokensPart } from './tokens-part.tsx'

/** The user's computers, password and tokens at this hub. */
export function Account() {
  return (
    <div className={css.parts}>
      <BoundDevices />
      <PasswordPart />
      <TokensPart />
    </div>
  )
}
