import { Command, CommanderError } from 'commander'
import { BuildError } from './build-error.ts'

/** The command `airlock-sdk`. Sets the exit code: 0 done, 1 failed, 2 wrong usage. */
export async function main(args: readonly string[]): Promise<void> {
  const program = new Command('airlock-sdk')
    .description('Make and build extensions for Airlock.')
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })

  program
    .command('build')
    .description('build extensions; what has not changed is left as it is')
    .argument('[folder...]', 'folders with an extension.json, or patterns such as extensions/*', ['.'])
    .option('--force', 'build even what has not changed')
    .action(async (folders: string[], options: { force?: boolean }) => {
      const { build } = await import('./commands/build.ts')
      await build(folders, options)
    })

  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : 2
    } else if (error instanceof BuildError) {
      console.error(error.message)
      process.exitCode = 1
    } else {
      throw error
    }
  }
}
