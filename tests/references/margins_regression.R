# Writes margins_regression.json, the numbers of R that test_regression_in_r.py compares ours with.
#
# Run by hand, never at test time, from the root of the project:
#   Rscript tests/references/margins_regression.R
# On Debian 12: apt install r-cran-glmmtmb r-cran-lme4 r-cran-lmertest r-cran-sandwich
#   r-cran-clubsandwich r-cran-jsonlite. Made with R 4.2.2, glmmTMB 1.1.5, lme4 1.1.31,
#   lmerTest 3.1.3, sandwich 3.0.2, clubSandwich 0.5.8 (the file says it too).
#
# Nothing here is random: the scores come from margins_scores.csv (made by margins_scores.py). The
# last digits of what optimisers return may still differ from run to run (1e-8 and less).
# betareg is not in Debian; glmmTMB fits the same likelihood. Its optimum is polished here by
# Newton steps with its own exact derivatives, and errors are from its observed information.

suppressPackageStartupMessages({
  library(glmmTMB); library(lme4); library(lmerTest)
  library(sandwich); library(clubSandwich); library(jsonlite)
})

place <- "tests/references"
all_rows <- read.csv(file.path(place, "margins_scores.csv"))
sets <- setdiff(names(all_rows), c("person", "race", "gender", "template", "word"))

rows_of <- function(set) {
  d <- all_rows
  d$score <- d[[set]]
  d <- d[!is.na(d$score), ]
  d$logit <- qlogis(d$score)
  d$group <- factor(2 * d$race + d$gender)
  d$frame <- interaction(d$template, d$word, drop = TRUE)
  d$person <- factor(d$person)
  d$template <- factor(d$template)
  d
}

# Beta regression: the maximum, with the inverse of the observed information.
beta <- function(d, precision) {
  fit <- glmmTMB(score ~ race * gender, dispformula = precision, family = beta_family(), data = d)
  at <- fit$fit$par
  for (i in 1:5) at <- at - solve(fit$obj$he(at), as.vector(fit$obj$gr(at)))
  structure(list(at = at, V = solve(fit$obj$he(at)), value = -fit$obj$fn(at),
                 X = model.matrix(~ race * gender, d), Z = model.matrix(precision, d),
                 y = d$score), class = "polished")
}

# What sandwich needs to know of it: rows of the score, and the bread.
estfun.polished <- function(x, ...) {
  p <- ncol(x$X)
  mu <- plogis(drop(x$X %*% x$at[1:p]))
  phi <- exp(drop(x$Z %*% x$at[-(1:p)]))
  a <- digamma(mu * phi); b <- digamma((1 - mu) * phi)
  eta <- phi * mu * (1 - mu) * (qlogis(x$y) - a + b)
  zeta <- phi * (digamma(phi) + mu * (log(x$y) - a) + (1 - mu) * (log1p(-x$y) - b))
  cbind(eta * x$X, zeta * x$Z)
}
bread.polished <- function(x, ...) x$V * length(x$y)
nobs.polished <- function(object, ...) length(object$y)
coef.polished <- function(object, ...) object$at
vcov.polished <- function(object, ...) object$V
registerS3method("estfun", "polished", estfun.polished, asNamespace("sandwich"))
registerS3method("bread", "polished", bread.polished, asNamespace("sandwich"))

beta_numbers <- function(d, precision) {
  fit <- beta(d, precision)
  clustered <- function(by) unname(vcovCL(fit, cluster = by, type = "HC0", cadjust = FALSE))
  list(parameters = unname(fit$at), se = unname(sqrt(diag(fit$V))), log_likelihood = fit$value,
       by_person = clustered(d$person), by_template = clustered(d$template),
       by_both = unname(vcovCL(fit, cluster = d[c("person", "template")], type = "HC0",
                               cadjust = FALSE, multi0 = FALSE)))
}

# Least squares with CR2 errors and Satterthwaite's degrees of freedom.
linear_numbers <- function(d) {
  fit <- lm(score ~ race * gender, data = d)
  by <- function(cluster) {
    found <- coef_test(fit, vcov = vcovCR(fit, cluster = cluster, type = "CR2"),
                       test = "Satterthwaite")
    df <- if ("df_Satt" %in% names(found)) found$df_Satt else found$df
    list(se = found$SE, df = df)
  }
  list(coefficients = unname(coef(fit)), naive_se = unname(sqrt(diag(vcov(fit)))),
       person = by(d$person), template = by(d$template))
}

# The mixed model, linear on the logit scale, by REML: lme4 with a strict optimiser; df of lmerTest.
parts <- logit ~ race * gender + (1 | person) + (1 | template) + (1 | template:group) + (1 | frame)
names_of_parts <- c("person", "template", "template:group", "frame")
mixed_numbers <- function(d) {
  strict <- lmerControl(optimizer = "nloptwrap", calc.derivs = FALSE, check.conv.singular = "ignore",
                        optCtrl = list(xtol_abs = 1e-12, xtol_rel = 1e-12, ftol_abs = 1e-14,
                                       ftol_rel = 1e-14, maxeval = 20000))
  fit <- lmerTest::lmer(parts, data = d, REML = TRUE, control = strict)
  v <- as.data.frame(VarCorr(fit))
  list(coefficients = unname(fixef(fit)), covariance = unname(as.matrix(vcov(fit))),
       df = unname(coef(summary(fit))[, "df"]),
       variances = c(v$vcov[match(names_of_parts, v$grp)], sigma(fit)^2),
       log_likelihood = as.numeric(logLik(fit)))
}

# For information: what a Beta mixed model says, and glmmTMB's own REML of the linear one.
beta_mixed_numbers <- function(d) {
  fit <- suppressWarnings(glmmTMB(score ~ race * gender + (1 | person) + (1 | template),
                                  family = beta_family(), data = d))
  linear <- suppressWarnings(glmmTMB(logit ~ race * gender + (1 | person) + (1 | template),
                                     data = d, REML = TRUE))
  both <- function(fit) list(
    coefficients = unname(fixef(fit)$cond), se = unname(sqrt(diag(vcov(fit)$cond))),
    sd_person = attr(VarCorr(fit)$cond$person, "stddev")[[1]],
    sd_template = attr(VarCorr(fit)$cond$template, "stddev")[[1]])
  list(beta = both(fit), linear = both(linear))
}

numbers <- function(set) {
  d <- rows_of(set)
  list(n = nrow(d), beta = beta_numbers(d, ~1), precision = beta_numbers(d, ~ race + gender),
       linear = linear_numbers(d), mixed = mixed_numbers(d), beta_mixed = beta_mixed_numbers(d))
}

packages <- c("glmmTMB", "lme4", "lmerTest", "sandwich", "clubSandwich")
versions <- c(R = as.character(getRversion()),
              sapply(packages, function(p) as.character(packageVersion(p))))
found <- list(versions = as.list(versions),
              notes = list(beta = "vcovCL: type HC0, cadjust FALSE, two-way with multi0 FALSE",
                           linear = "clubSandwich: CR2, Satterthwaite", mixed = "lme4: REML"),
              sets = setNames(lapply(sets, numbers), sets))
writeLines(toJSON(found, digits = I(12), auto_unbox = TRUE, na = "null", pretty = TRUE),
           file.path(place, "margins_regression.json"))
