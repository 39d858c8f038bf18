import { createRoot } from 'react-dom/client'
import '../src/ui/base.css'
import { showTheme } from '../src/settings/theme.ts'
import { ToastStack } from '../src/ui/toast-stack.tsx'
import { screens } from './screens.tsx'

const asked = new URLSearchParams(location.search)
const name = asked.get('screen') ?? ''
const theme = asked.get('theme')
showTheme(theme === 'light' || theme === 'dark' ? theme : 'system')

const Screen = screens[name]
createRoot(document.getElementById('app')!).render(
  Screen ? (
    <>
      <Screen />
      <ToastStack />
    </>
  ) : (
    <ul>
      {Object.keys(screens).map((one) => (
        <li key={one}>
          <a href={`?screen=${one}`}>{one}</a>
        </li>
      ))}
    </ul>
  ),
)
