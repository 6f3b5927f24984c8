import { Command, CommanderError } from 'commander'
import { BuildError } from './build-error.ts'

/** The command `airlock-sdk`. Sets the exit code: 0 done, 1 failed, 2 wrong usage. */
export async function main(args: readonly string[]): Promise<void> {
  const program = new Command('airlock-sdk')
    .description('Make and build extensions for Airlock.')
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })

  program
    .command('new')
    .description('make an extension that builds and answers as it is')
    .argument('<folder>', 'a folder that does not exist yet; its name becomes the id')
    .option('--tools', 'one that brings a tool, in place of a provider', false)
    .action(async (folder: string, options: { tools: boolean }) => {
      const { createExtension } = await import('./commands/new.ts')
      await createExtension(folder, options.tools ? 'tools' : 'provider')
    })

  program
    .command('build')
    .description('build extensions; what has not changed is left as it is')
    .argument('[folder...]', 'folders with an extension.json, or patterns such as extensions/*', ['.'])
    .option('--force', 'build even what has not changed', false)
    .action(async (folders: string[], options: { force: boolean }) => {
      const { build } = await import('./commands/build.ts')
      await build(folders, options)
    })

  program
    .command('check')
    .description('check the manifest, the component and what it wants of the host, and show sizes')
    .argument('[folder]', 'a folder with an extension.json', '.')
    .action(async (folder: string) => {
      const { check } = await import('./commands/check.ts')
      await check(folder)
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
