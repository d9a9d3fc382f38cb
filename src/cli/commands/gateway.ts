/** `mooring gateway`: serves many servers as one, or checks the gateway file. */
import { FileWatch } from '../../files/file-watch.ts';
import { portIn } from '../arguments.ts';
import { command, flag, withValue } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { countText, fileIn, findingLine, readFileFor } from '../gateway/file-report.ts';
import { serveGateway } from '../gateway/serve-gateway.ts';

export const gateway = command('gateway', {
  usage: ['<file> [options]', '<file> --check', '--schema'],
  about: `Serve many MCP servers as one, from a YAML or JSON file.

The gateway listens at once. If an upstream does not respond, only its tools are missing. SIGHUP reloads the file; if the file has an error, the running configuration stays. SIGTERM drains the gateway: /ready fails, running calls finish, and the process exits with 0.

--check prints each error in the file with its line, and warns about settings that disable or limit a feature. No connection is opened.`,
  exits: [
    [0, 'stopped by SIGTERM or `mooring gateway drain`; with --check: no errors'],
    [1, 'with --check: at least one error'],
    [2, 'the file has an error'],
  ],
  options: {
    check: flag('Check the file and exit'),
    port: withValue('number', 'Listen on this port instead of that of the file; 0 for a free one'),
    watch: flag('Reload when the file changes'),
    schema: flag('Print the JSON Schema of the file'),
  },
  examples: [
    ['mooring gateway gateway.yaml'],
    ['mooring gateway gateway.yaml --check', 'in CI'],
    ['mooring gateway gateway.yaml --port 0 --watch', 'while you write the file'],
    ['mooring gateway --schema > gateway.schema.json', 'for your editor'],
  ],
  async run(input) {
    const { values, shell, print } = input;
    if (values.schema === true) {
      const { gatewaySchema } = await import('../../gateway/file/gateway-schema.ts');
      shell.stdout.write(`${JSON.stringify(gatewaySchema, null, 2)}\n`);
      return undefined;
    }
    const file = fileIn([...input.words, ...(input.after ?? [])], shell);
    const port = values.port === undefined ? undefined : portIn(values.port, '--port');
    const watch = values.watch === true ? new FileWatch(() => [file.path], shell.clock) : undefined;
    await watch?.open();
    const report = await readFileFor(file.path, shell);
    if (values.check === true) {
      const { findings } = report;
      print.data({ ok: report.config !== undefined, file: file.path, findings });
      for (const finding of findings) print.line(findingLine(finding, file.name, print, 'stdout'));
      print.line(findings.length === 0 ? 'All checks passed.' : countText(findings));
      return report.config === undefined ? exitCodes.no : undefined;
    }
    for (const finding of report.findings) print.note(findingLine(finding, file.name, print, 'stderr'));
    if (report.config !== undefined) return serveGateway(report.config, { file, port, watch }, input);
    print.data({ ok: false, file: file.path, findings: report.findings });
    print.note(countText(report.findings));
    return exitCodes.usage;
  },
});
