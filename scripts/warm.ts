// `npm run warm`: shows, runs, pauses and resumes the deployed job of Cloud Scheduler.
import { Option } from '@commander-js/extra-typings';
import { createMain, runMain } from './cli/command.ts';
import { projectOption, requireProject } from './cli/options.ts';
import { DEPLOYMENT } from './deploy/defaults.ts';
import { describeJob, withScheduler } from './warm/scheduler-job.ts';

export const main = createMain('npm run warm --', (program, terminal) => {
  const { env, print } = terminal;
  program
    .usage('status|run|pause|resume [options]')
    .description('Shows and controls the deployed Cloud Scheduler job that calls warm.')
    .addHelpText(
      'after',
      `
Each command takes --project, --location and --job: "npm run warm -- status --help".
Credentials are those of "gcloud auth application-default login".

Example:
  npm run warm -- status --project my-project`,
    );

  const jobCommand = (
    name: string,
    description: string,
    use: Parameters<typeof withScheduler>[2],
  ) =>
    program
      .command(name)
      .description(description)
      .addOption(projectOption(terminal))
      .addOption(
        new Option('--location <region>', 'region of the job').default(
          env.SCHEDULER_LOCATION || DEPLOYMENT.region,
          `SCHEDULER_LOCATION, else ${DEPLOYMENT.region}`,
        ),
      )
      .addOption(
        new Option('--job <name>', 'name of the job').default(
          env.SCHEDULER_JOB || DEPLOYMENT.schedulerJob,
          `SCHEDULER_JOB, else ${DEPLOYMENT.schedulerJob}`,
        ),
      )
      .addHelpText('after', `\nExample:\n  npm run warm -- ${name} --project my-project`)
      .action(({ project, location, job }) =>
        withScheduler(
          `projects/${requireProject(project)}/locations/${location}/jobs/${job}`,
          env.CLOUD_SCHEDULER_EMULATOR_HOST,
          use,
        ),
      );

  jobCommand(
    'status',
    'state of the job, its last attempt and result, and its next run',
    async (client, { name }) => {
      const [job] = await client.getJob({ name });
      print(describeJob(name, job));
    },
  );
  jobCommand('run', 'run it now', async (client, job) => {
    await client.runJob(job);
    print('The job runs now; its report is in the log of the function warm.');
  });
  jobCommand('pause', 'stop it until it is resumed', async (client, job) => {
    await client.pauseJob(job);
    print('The job is paused: results grow old until it is resumed.');
  });
  jobCommand('resume', 'let it run again', async (client, job) => {
    await client.resumeJob(job);
    print('The job runs again.');
  });
});

if (import.meta.main) void runMain(main);
