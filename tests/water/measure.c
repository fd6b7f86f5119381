/* Runs one case of cases.h and prints its figures on one line, for tuning by hand.
   water_measure CASE [option=value …] [-- parameter=value …] */
#include <stdio.h>
#include <string.h>

#include "water/cases.h"

int main(int count, char **words)
{
    if (count < 2) {
        printf("usage: water_measure CASE [option=value ...] [-- parameter=value ...]\n"
               "options of all: solver=pbf threads=1 fps=60 d=0.1 boundary= preset= energy_limit=1.5\n");
        for (const WaterCase *c = water_cases; c->name != NULL; c++)
            printf("  %-8s %s\n", c->name, c->usage);
        return 2;
    }
    char request[2048] = "";
    for (int k = 1; k < count; k++) {
        strncat(request, words[k], sizeof request - strlen(request) - 1);
        strncat(request, " ", sizeof request - strlen(request) - 1);
    }
    WaterResult result;
    bool good = water_run(request, &result);
    water_print(&result);
    return good ? 0 : 1;
}
